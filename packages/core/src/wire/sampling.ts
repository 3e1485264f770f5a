/** How a model chooses its words; what is left out is the provider's own default. */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
}

/** These fields alone, and only those that are there. */
export function samplingOf({ temperature, topP }: Sampling): Sampling {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
  };
}

/** The parameters as every family but Gemini names them, as texts. */
export function samplingParameters({ temperature, topP }: Sampling): readonly (readonly [string, string])[] {
  return [
    ...(temperature === undefined ? [] : [["temperature", JSON.stringify(temperature)] as const]),
    ...(topP === undefined ? [] : [["top_p", JSON.stringify(topP)] as const]),
  ];
}
