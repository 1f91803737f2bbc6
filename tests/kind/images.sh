#!/usr/bin/env bash
# The images of the end-to-end tests, built with docker and loaded into kind. Needs docker, kind and `make install`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
name=${1:-rallypoint}
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

docker build -f trainer_image/Dockerfile -t rallypoint/trainer:kind \
  --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cpu .
.venv/bin/python -m tests.e2e.image_example "$context"
docker build --build-arg BASE_IMAGE=rallypoint/trainer:kind -t "${RALLYPOINT_TRAINING_IMAGE:?}" "$context"

# what the tests that need no torch run in, under the names that they use
docker pull python:3.11-slim-bookworm
docker tag python:3.11-slim-bookworm rallypoint.test/python:1
mkdir "$context/probe"
(cd tests/cluster/go/pod && CGO_ENABLED=0 go build -trimpath -o "$context/probe/probe" ./probe)
printf 'FROM scratch\nCOPY probe /probe\nUSER 65532:65532\nENTRYPOINT ["/probe"]\n' > "$context/probe/Dockerfile"
docker build -t rallypoint.test/probe:1 "$context/probe"
kind load docker-image --name "$name" rallypoint.test/python:1 rallypoint.test/probe:1 "$RALLYPOINT_TRAINING_IMAGE"
