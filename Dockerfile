# One image, many commands: each role is `node gateway/main.ts --role <role>`.
# The base is named by digest, the tag says what it is: docs/decisions/034-container-image-contents.md.
FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS build
WORKDIR /app
COPY . .
# Optional packages are the pinned Node and the embedded PostgreSQL; this image has the one and needs none of the other.
RUN npm ci \
 && node scripts/build-console.ts \
 && npm prune --omit=dev --omit=optional

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
ENV NODE_ENV=production LANDFALL_HOST=0.0.0.0 LANDFALL_DATA_DIR=/data SCOREREPLAY__PROOFSPATH=/var/lib/landfall/proofs ARTIFACTS__PATH=/var/lib/landfall/artifacts
WORKDIR /app
RUN mkdir -p /data /var/lib/landfall/proofs /var/lib/landfall/artifacts && chown node:node /data /var/lib/landfall/proofs /var/lib/landfall/artifacts
COPY --from=build /app /app
USER node
VOLUME /data /var/lib/landfall/proofs /var/lib/landfall/artifacts
CMD ["node", "gateway/main.ts", "--role", "edge"]
