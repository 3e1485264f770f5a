import type { CancelBoard, Publisher } from "@airlock/core/queue";
import type { Keyring } from "@airlock/core/record";
import type { PieceOpener, RouteLimiter, Routes, StreamerStore } from "@airlock/core/run";
import type { Log, Metrics } from "@airlock/core/runtime";
import type { Redis } from "@airlock/core/store";
import type { ToolCatalog } from "@airlock/core/tool";
import type { Dispatcher } from "undici";
import type { StreamerConfig } from "./config.ts";

/** Everything that the streamer's stages reach: composed once, in start.ts. */
export interface Deps {
  readonly config: StreamerConfig;
  readonly redis: Redis;
  readonly keyring: Keyring;
  /** remembers conversations that go on */
  readonly pieceOpener: PieceOpener;
  readonly store: StreamerStore;
  readonly publisher: Publisher;
  readonly routes: Routes;
  readonly limiter: RouteLimiter;
  readonly catalog: ToolCatalog;
  readonly log: Log;
  readonly metrics: Metrics;
  /** the connections to routes; redirects are never followed */
  readonly dispatcher: Dispatcher;
  /** the name under which this process begins attempts */
  readonly owner: string;
  readonly cancels: CancelBoard;
}
