# The command line from its wheel: cargo xtask wheel --manylinux && docker build --tag guestlist .
# Audits go to the folder that is mounted: docker run --rm --user "$(id -u)" --volume "$PWD:/audit" guestlist demo
FROM python:3.13-slim

COPY target/wheels/guestlist-*-manylinux*.whl /tmp/wheels/
RUN pip install --no-cache-dir --no-compile /tmp/wheels/guestlist-*_"$(uname -m)".whl \
    && rm -r /tmp/wheels \
    && useradd --create-home --uid 1000 auditor

USER 1000
WORKDIR /audit
ENTRYPOINT ["guestlist"]
CMD ["--help"]
