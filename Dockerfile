# One image for all processes; the command selects one: node bin/api.ts, node bin/worker.ts or node bin/migrate.ts.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Without install scripts: what needs one is not in the image.
RUN npm ci --omit=dev --ignore-scripts
COPY bin ./bin
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY migrations ./migrations
COPY docs/guides ./docs/guides
# Then the optional packages can go: the compiler that bundled the workflows, and a Node beside that of the image.
RUN node bin/bundle-workflows.ts workflow-bundle.js \
  && npm prune --omit=dev --omit=optional --ignore-scripts \
  && node bin/trim-packages.js

FROM node:24.21.0-slim
WORKDIR /app
COPY --from=build --chown=root:root /app ./
ENV NODE_ENV=production WORKFLOW_BUNDLE=/app/workflow-bundle.js
# They keep a worker below 350 MB and an API process below 200 MB (npm run bench -- memory): glibc returns what is freed instead of
# keeping it for each thread.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
ENV NODE_OPTIONS="--max-semi-space-size=4 --max-old-space-size=160 --v8-pool-size=1"
# A new volume takes its owner from here.
RUN install -d -o node -g node /var/lib/tributary/files
USER node
EXPOSE 3000
# The API or a worker, whichever runs in this container.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 CMD ["node", "-e", "Promise.any([process.env.API_PORT || 3000, process.env.WORKER_HEALTH_PORT || 3001].map(async (port) => { if (!(await fetch(`http://127.0.0.1:${port}/health/live`)).ok) throw port })).then(() => process.exit(0), () => process.exit(1))"]
CMD ["node", "bin/api.ts"]
