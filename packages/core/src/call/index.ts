export {
  applyTransition,
  fromStates,
  isFinal,
  ITEM_STATES,
  itemStateSchema,
  stateList,
  TRANSITIONS,
  type ItemState,
  type Transition,
} from "./states.ts";
export { argumentsDigest } from "./digest.ts";
