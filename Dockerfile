# One image per service, from one build. Targets: streamer, validator, executor, console, gateway, cli.
#   docker build --target streamer --tag airlock-streamer .
# Each runs as uid 1000 on a read-only root file system; only the executor needs a writable volume.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
RUN npm install --global --no-audit --no-fund pnpm@10.34.9
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.base.json ./
COPY packages packages
COPY services services
COPY test test
RUN pnpm install --frozen-lockfile
RUN pnpm exec tsc -b packages/core packages/replay services/streamer services/validator services/executor services/console packages/cli
# Each package with its production dependencies, as plain folders; of the workspace's own only what tsc wrote.
RUN for package in streamer validator executor console replay cli; do \
      pnpm --filter "@airlock/${package}" deploy --legacy --prod "/out/${package}" || exit 1; \
    done \
 && find /out -type d -path '*@airlock*' -name src -prune -exec rm -r {} + \
 && rm -r /out/*/src \
 && find /out -name '*.tsbuildinfo' -delete

# The node binary can be run but not read: then the kernel keeps every other process of its uid out of its environment.
FROM ${NODE_IMAGE} AS node-only
RUN chown root:root /usr/local/bin/node && chmod 0711 /usr/local/bin/node
ENV NODE_ENV=production
WORKDIR /app

FROM node-only AS service
# Nothing is installed at run time.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
 && install -d -o 1000 -g 1000 -m 0700 /run/airlock/keys
USER 1000:1000
CMD ["node", "dist/main.js"]

FROM service AS streamer
COPY --from=build /out/streamer /app

FROM service AS validator
COPY --from=build /out/validator /app

FROM service AS console
USER root
RUN install -d -o 1000 -g 1000 -m 0700 /run/airlock/approver /run/airlock/users
USER 1000:1000
COPY --from=build /out/console /app

# npm stays here: a sandboxed `npm test` needs it.
FROM node-only AS executor
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 1000 -g 1000 -m 0700 /run/airlock/keys /var/lib/airlock
COPY --from=build /out/executor /app
USER 1000:1000
VOLUME ["/var/lib/airlock"]
CMD ["node", "dist/main.js"]

FROM service AS gateway
COPY fixtures /app/fixtures
COPY --from=build /out/replay /app

# `airlock` as a tool: makes keys and the users of Redis, submits runs, shows them. It holds no service's keys while it does the latter.
FROM node-only AS cli
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 1000 -g 1000 -m 0700 /run/airlock/keys /keys/client /keys/streamer /keys/validator /keys/executor /keys/console /keys/approver /users \
 && install -d -o 1000 -g 1000 -m 0700 /redis/client /redis/streamer /redis/validator /redis/executor /redis/console /redis/metrics /redis/admin \
 && install -d -o 1000 -g 1000 -m 0755 /srv/sources /redis/users
COPY fixtures /app/fixtures
COPY --from=build /out/cli /app
USER 1000:1000
ENTRYPOINT ["node", "dist/main.js"]
