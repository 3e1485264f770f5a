export {
  artifactCheck,
  artifactExpectationSchema,
  type ArtifactCheck,
  type ArtifactExpectation,
  type ArtifactKind,
} from "./expectation.ts";
export { validateArtifact, type ArtifactResult } from "./validate.ts";
