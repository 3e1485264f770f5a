#!/usr/bin/env bash
# Runs the escape suite against the executor's image, as locked down as docker-compose.yml has it. Needs a container engine,
# redis-server and the development dependencies here; the executor alone is in the container, on the host's network.
#   deploy/escape-suite.sh [--network host]     options for `docker build`
#   IMAGE=airlock-executor:1.2 deploy/escape-suite.sh     an image that is there already
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${IMAGE:-}" ]; then
  IMAGE=airlock-executor
  docker build "$@" --target executor --tag "$IMAGE" .
fi
AIRLOCK_ESCAPE_IMAGE=$IMAGE exec node node_modules/vitest/vitest.mjs run --project escape
