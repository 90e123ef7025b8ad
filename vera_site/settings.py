"""The one settings file.

Embedded default: SQLite and Celery's filesystem broker under `VERA_VAR`. With `DATABASE_URL` and `REDIS_URL`
set the same code runs on PostgreSQL and Redis. `VERA_PRODUCTION=1` adds what a public address needs.
Every variable read here is described in `.env.example`; a wrong one stops the start with a sentence.
"""

import base64
import logging
import os
import secrets
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")


def text(name: str, default: str = "") -> str:
    """Read a variable; one set to nothing counts as not set, as compose files and `NAME=` leave it."""
    return os.environ.get(name, "").strip() or default


def words(name: str, default: list[str]) -> list[str]:
    """Read a list of words, separated by commas."""
    return [word.strip() for word in text(name).split(",") if word.strip()] or default


def writable_folder(path: Path) -> Path:
    """Make `path` and prove that it can be written, or say so in one sentence."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".probe-{os.getpid()}"
        probe.write_bytes(b"vera")
        probe.unlink()
    except OSError as error:
        raise ImproperlyConfigured(
            f"Vera cannot write to {path} ({error.strerror}). Free some space, make the folder writable, "
            "or point VERA_VAR at another one."
        ) from error
    return path


def flag(name: str, default: bool) -> bool:
    """Read an on/off variable strictly: a misspelt value must not silently mean off."""
    word = text(name, "1" if default else "0").lower()
    if word not in {"1", "true", "yes", "on", "0", "false", "no", "off"}:
        raise ImproperlyConfigured(f"{name}={word!r} is neither on nor off. Use 1 or 0.")
    return word in {"1", "true", "yes", "on"}


def whole(name: str, default: int, smallest: int = 1, largest: int = 1_000_000_000) -> int:
    """Read a whole number from `smallest` to `largest`."""
    try:
        number = int(text(name, str(default)))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number.") from error
    if number < smallest:
        raise ImproperlyConfigured(f"{name}={number} is too small: at least {smallest}.")
    if number > largest:
        raise ImproperlyConfigured(f"{name}={number} is too large: at most {largest}.")
    return number


def per_cent(name: str, default: str) -> Decimal:
    """Read a share in per cent, 0 to 100, with decimals where wanted."""
    given = text(name, default)
    try:
        share = Decimal(given)
    except InvalidOperation:
        share = Decimal(-1)
    if not (share.is_finite() and 0 <= share <= 100):
        raise ImproperlyConfigured(
            f"{name}={given!r} must be a number of per cent from 0 to 100, such as 1.5."
        )
    return share


def secret_key(folder: Path) -> str:
    """The key from the environment; outside production one is made once and kept beside the database."""
    if given := text("VERA_SECRET_KEY"):
        return given
    if VERA_PRODUCTION:
        raise ImproperlyConfigured("VERA_SECRET_KEY is not set. Production needs a long random one.")
    path = folder / "secret_key"
    if not path.exists():
        fresh = folder / f".secret_key-{os.getpid()}"
        fresh.write_text(secrets.token_urlsafe(60), encoding="ascii")
        fresh.chmod(0o600)
        try:
            os.link(fresh, path)  # two processes starting at once agree on the first key
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text(encoding="ascii").strip()


def ed25519_key(name: str, given: str) -> bytes:
    """A key from its base64, 32 bytes. A refusal repeats nothing of it: it may be the secret half."""
    try:
        key = base64.b64decode(given, validate=True)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise ImproperlyConfigured(
            f"{name} must hold 32 bytes in base64, such as `openssl rand -base64 32` prints."
        )
    return key


VERA_PRODUCTION = flag("VERA_PRODUCTION", default=False)
VERA_VAR = writable_folder(Path(text("VERA_VAR", str(BASE_DIR / "var"))).resolve())
DEBUG = flag("VERA_DEBUG", default=False)
SECRET_KEY = secret_key(VERA_VAR)
ALLOWED_HOSTS = words("VERA_HOSTS", [] if VERA_PRODUCTION else ["127.0.0.1", "localhost", "[::1]"])
if VERA_PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured(
        "VERA_HOSTS is not set. Name the hosts Vera answers for, such as vera.example.org."
    )
if VERA_PRODUCTION and DEBUG:
    raise ImproperlyConfigured("VERA_DEBUG and VERA_PRODUCTION cannot both be on.")
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if VERA_PRODUCTION and host != "*"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "ninja",
    "labeling",
    "judging",
    "demo",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "judging.api.heads.heads",
    "judging.api.errors.json_errors",
    "vera_site.http.storable_requests",
    "vera_site.http.private_pages",
    "vera_site.http.whole_page_logs_in",
    "vera_site.http.readers_zone",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "vera_site.http.what_was_typed_is_shown",
]

ROOT_URLCONF = "vera_site.urls"
WSGI_APPLICATION = "vera_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "labeling.access.roles",
            ]
        },
    }
]


def postgresql(url: str) -> dict[str, Any]:
    """The database that `url` names. A refusal repeats nothing of it: it may hold a password."""
    try:
        chosen: dict[str, Any] = environ.Env.db_url_config(url) if "://" in url else {}
    except ValueError:
        chosen = {}
    if "postgresql" not in chosen.get("ENGINE", "") or not chosen.get("NAME"):
        raise ImproperlyConfigured(
            "DATABASE_URL must name a PostgreSQL database: postgres://user:password@host/name, "
            "with @ : / # and % in the password written as %40 %3A %2F %23 and %25."
        )
    return chosen


def database(folder: Path) -> dict[str, Any]:
    """The database by `DATABASE_URL`, else SQLite under `folder`."""
    if url := text("DATABASE_URL"):
        return postgresql(url) | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    return sqlite(folder)


def sqlite(folder: Path) -> dict[str, Any]:
    """The embedded database in `folder`."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": folder / "vera.sqlite3",
        "TEST": {"NAME": folder / "test.sqlite3"},
        "OPTIONS": {
            # IMMEDIATE: a transaction that reads, then writes waits its turn instead of failing half-way.
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


DATABASES = {"default": database(VERA_VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024  # a candidate of 10 MB must fit, escaped
FILE_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024  # larger uploads go to a file


def redis_url() -> str:
    """Celery's broker by `REDIS_URL`; "" where there is none."""
    url = text("REDIS_URL")
    known = url.startswith(("redis://", "rediss://", "unix://"))
    try:
        urlsplit(url).port  # noqa: B018 - raises where it is no number
    except ValueError:
        known = False
    if url and not known:
        raise ImproperlyConfigured("REDIS_URL must look like redis://host:6379/0")
    return url


REDIS_URL = redis_url()


def filesystem_broker(folder: Path) -> dict[str, Any]:
    """Celery's broker without a server: messages are files under `folder`."""
    queue, done, control = (writable_folder(folder / name) for name in ("queue", "processed", "control"))
    return {
        "data_folder_in": str(queue),
        "data_folder_out": str(queue),
        "processed_folder": str(done),
        "control_folder": str(control),
        "store_processed": True,
    }


CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost/"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_timeout": 5, "socket_connect_timeout": 5}
    if REDIS_URL
    else filesystem_broker(VERA_VAR / "broker")
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
# A page must not hang on a broker that is down; the workers' timer starts the work.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_CONCURRENCY = whole("VERA_WORKER_PROCESSES", default=2)
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
# About tasks acknowledged late, of which there are none; left out, each loss of the broker warns at length.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = "UTC"

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "vera_site.http.tried_name"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_HTTP_RESPONSE_CODE = 429
AXES_VERBOSE = False
AXES_DISABLE_ACCESS_LOG = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "static_root" if VERA_PRODUCTION else None  # elsewhere files are served in place
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if VERA_PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not VERA_PRODUCTION

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.SELF],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
if VERA_PRODUCTION:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = flag("VERA_SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = whole("VERA_HSTS_SECONDS", default=31_536_000, smallest=0)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True

# A judge names its key and address by environment variable. Only these names, and VERA_JUROR_*, may be named,
# so that nobody can have a judge send DATABASE_URL or the secret key to an address of their choice.
VERA_JUROR_ENV_NAMES = [
    "ANTHROPIC_API_KEY",
    "AZURE_API_KEY",
    "AZURE_API_BASE",
    "COHERE_API_KEY",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "HUGGINGFACE_API_KEY",
    "MISTRAL_API_KEY",
    "OLLAMA_API_BASE",
    "OPENAI_API_KEY",
    "OPENAI_API_BASE",
    "OPENROUTER_API_KEY",
    "TOGETHERAI_API_KEY",
    "XAI_API_KEY",
]
# Hosts (or host:port) that a judge may be sent to when its base URL is set by variable. Others are refused.
VERA_JUROR_HOSTS = words("VERA_JUROR_HOSTS", []) + (
    [] if VERA_PRODUCTION else ["127.0.0.1", "localhost", "[::1]"]
)
# Hosts (or host:port) that webhooks may call inside a network. Production calls public addresses only.
VERA_WEBHOOK_HOSTS = [] if VERA_PRODUCTION else words("VERA_WEBHOOK_HOSTS", [])
# What certificates are signed with; without it a key is made under VERA_VAR, but in production.
VERA_SIGNING_KEY = ed25519_key("VERA_SIGNING_KEY", given) if (given := text("VERA_SIGNING_KEY")) else None
VERA_SIGNED_HOURS = whole("VERA_SIGNED_HOURS", default=24, largest=720)  # for which a signed one is good
# Public keys by which `gate --offline` believes a certificate, beside the installation's own:
VERA_TRUSTED_KEYS = [ed25519_key("VERA_TRUSTED_KEYS", each) for each in words("VERA_TRUSTED_KEYS", [])]
VERA_DEMO = flag("VERA_DEMO", default=False)  # set by `make demo`: every page says that jurors are scripted
VERA_CALLS_IN_FLIGHT = whole("VERA_CALLS_IN_FLIGHT", default=32)  # per worker process
VERA_CALL_TIMEOUT = whole("VERA_CALL_TIMEOUT", default=60)  # seconds
# Seconds that questions wait for a provider that is down before they are skipped:
VERA_PROVIDER_PATIENCE = whole("VERA_PROVIDER_PATIENCE", default=180, smallest=0)
VERA_CLAIM_LEASE = whole("VERA_CLAIM_LEASE", default=60, smallest=2)  # seconds
# 0: every question is asked; at most a century, for no calendar reaches much further back.
VERA_REUSE_HOURS = whole("VERA_REUSE_HOURS", default=24, smallest=0, largest=876_000)
VERA_LABEL_LEASE = whole("VERA_LABEL_LEASE", default=900, smallest=5)  # seconds
# Per cent of good outputs that a Layer-1 check may kill before the dashboard names it.
VERA_FALSE_KILL_LIMIT = per_cent("VERA_FALSE_KILL_LIMIT", default="1")
# litellm would otherwise fetch its price list from the network at import.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def log_level() -> str:
    """The level from which libraries write to the log; Vera's own apps say a little more."""
    level = text("VERA_LOG_LEVEL", "WARNING").upper()
    if level not in logging.getLevelNamesMapping():
        raise ImproperlyConfigured(f"VERA_LOG_LEVEL={level!r} is unknown. Use DEBUG, INFO, WARNING or ERROR.")
    return level


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": log_level()},
    "loggers": {
        "judging": {"level": "INFO"},
        "labeling": {"level": "INFO"},
        "celery": {"level": "WARNING"},
        "LiteLLM": {"level": "ERROR"},
        # At DEBUG these write down headers and bodies, in which a provider may repeat the key.
        **{name: {"level": "INFO"} for name in ("openai", "httpx", "httpx2", "httpcore", "httpcore2")},
    },
}
