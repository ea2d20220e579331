# One image for both programs: it runs the server; `--entrypoint buildtrack-worker` runs the worker.

FROM rust:1.95-slim-bookworm AS build
# The build of jemalloc needs make.
RUN apt-get update && apt-get install --yes --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --profile dist --locked --package buildtrack --package buildtrack-worker \
    && install target/dist/buildtrack target/dist/buildtrack-worker /usr/local/bin/

FROM debian:bookworm-slim
# The arena's sandbox runs answers in Python. Without Python, that league is closed.
RUN apt-get update && apt-get install --yes --no-install-recommends python3 && rm -rf /var/lib/apt/lists/*
# Pushes go to https: targets, so the image contains the public root certificates.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/buildtrack /usr/local/bin/buildtrack-worker /usr/local/bin/
RUN useradd --system --uid 10001 --user-group --no-create-home buildtrack \
    && install --directory --owner=buildtrack --group=buildtrack --mode=0700 /data
USER buildtrack
ENV BUILDTRACK_BIND=0.0.0.0:8080 \
    BUILDTRACK_DATA_DIR=/data
VOLUME /data
EXPOSE 8080
# The image has no HTTP client except bash.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /livez HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
ENTRYPOINT ["buildtrack"]
CMD ["serve"]
