# Postrider as an image: `docker build -t postrider .`
# A test runs these steps as they are written, so paths in RUN are relative and each line does one thing.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
COPY sdk/package.json sdk/
COPY dashboard/package.json dashboard/
COPY scripts scripts
RUN npm ci --ignore-scripts
COPY src src
COPY sdk/src sdk/src
COPY dashboard dashboard
RUN node scripts/build.mjs
RUN mkdir data

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /dependencies
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY dashboard/package.json dashboard/
RUN npm ci --omit=dev --ignore-scripts --workspaces=false

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=dependencies /dependencies/node_modules node_modules
COPY --from=build /build/dist dist
COPY package.json LICENSE ./
# The user of the server owns its data, and nothing else.
COPY --from=build --chown=1000:1000 /build/data /data
ENV NODE_ENV=production
ENV POSTRIDER_DATA=/data
ENV POSTRIDER_PORT=8080
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.POSTRIDER_PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=100", "dist/cli/postrider.js"]
CMD ["serve"]
