export {
  consume,
  DONE,
  type Consumer,
  type ConsumeEvent,
  type ConsumeOptions,
  type Delivery,
  type Handled,
  type Handlers,
} from "./consume.ts";
export {
  addressOf,
  NOTIFICATIONS,
  producersOf,
  queueName,
  queuePrefix,
  QUEUES,
  type BodyOf,
  type Message,
  type MessagePurpose,
  type QueueFamily,
} from "./contracts.ts";
export { readNotice, sendNotice } from "./feed.ts";
export { sendCancel, sendEnded, watchCancels, watchSignals } from "./control.ts";
export { createPublisher, messageOf, type Publisher, type PublishOptions } from "./publish.ts";
export { createCancelBoard, RUN_CANCELLED, type CancelBoard } from "./cancel-board.ts";
export { parkedJobs, type ParkedJobs } from "./parked-jobs.ts";
export { wakeApproval } from "./wake-approval.ts";
export { countQueues, type QueueCount } from "./counts.ts";
