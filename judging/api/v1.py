"""Version 1 of the API, put together."""

from ninja import NinjaAPI

from judging.api import (
    badge,
    candidates,
    certifications,
    drills,
    errors,
    labels,
    orderings,
    pass_rates,
    people,
    queue,
    signed,
)

api = NinjaAPI(
    title="Vera",
    version="1",
    description="Which judges may be trusted. Send a token in the header `Authorization: Bearer …`.",
    urls_namespace="api",
)
errors.register(api)
api.add_router("", certifications.router)
api.add_router("", badge.router)
api.add_router("", drills.router)
api.add_router("", orderings.router)
api.add_router("", pass_rates.router)
api.add_router("", people.router)
api.add_router("", signed.router)
api.add_router("", candidates.router)
api.add_router("", labels.router)
api.add_router("", queue.router)
