import type { Dispatcher } from "undici";

/**
 * A dispatcher that tells when a request goes out on a connection: what comes before is connecting, what comes after is
 * waiting for an answer, and the call that sends a request tells of neither.
 */
export function onRequestStart(dispatcher: Dispatcher, tell: () => void): Dispatcher {
  return dispatcher.compose(
    (dispatch) => (options, handler) => dispatch(options, tellingHandler(handler, tell)),
  );
}

function tellingHandler(handler: Dispatcher.DispatchHandler, tell: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart(...given) {
      tell();
      handler.onRequestStart?.(...given);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
