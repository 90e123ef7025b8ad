# One image for pages, workers and migrations; docker-compose.yml says which command each runs.
FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LITELLM_LOCAL_MODEL_COST_MAP=True \
    VERA_VAR=/var/lib/vera

WORKDIR /app
COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY . .
RUN useradd --system --home-dir /var/lib/vera --create-home vera \
    && VERA_SECRET_KEY=only-for-collecting VERA_HOSTS=localhost VERA_PRODUCTION=1 python manage.py collectstatic --noinput \
    && chown -R vera /var/lib/vera
USER vera
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:8000/healthz', headers={'Host': 'localhost'}))"]
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", "--workers-kill-timeout", "8", "--blocking-threads", "1", "vera_site.wsgi:application"]
