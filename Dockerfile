# One image, many commands: each role is `node gateway/main.ts --role <role>`.
FROM node:26.10.0-bookworm-slim AS build
WORKDIR /app
COPY . .
# Optional packages are the pinned Node and the embedded PostgreSQL; this image has the one and needs none of the other.
RUN npm ci \
 && node scripts/build-console.ts \
 && npm prune --omit=dev --omit=optional

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production LANDFALL_HOST=0.0.0.0 LANDFALL_DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=build /app /app
USER node
VOLUME /data
CMD ["node", "gateway/main.ts", "--role", "edge"]
