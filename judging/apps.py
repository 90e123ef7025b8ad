from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """What machines say, and whether to believe them."""

    name = "judging"
    verbose_name = "Judging"

    def ready(self) -> None:
        """Hear of corrected labels and rulings, so that no certificate outlives what it rests on.

        And tell labeling's first page what a lead does next.
        """
        from judging import checks  # noqa: F401  (registers them)
        from judging.services import policy
        from judging.services.certification import golden_set_changed
        from judging.services.drift import audits_settled
        from judging.services.journey import advise
        from judging.services.promoting import changes_by_criteria
        from judging.services.stopping import is_stopping
        from judging.services.workers import workers_seen
        from labeling.services import policies, promotions, workers
        from labeling.services.next_steps import advisers
        from labeling.services.truth import listeners

        listeners.append(golden_set_changed)
        promotions.foretellers.append(changes_by_criteria)
        policies.listeners.append(policy.policy_changed)
        policies.foretellers.append(policy.foretold)
        listeners.append(audits_settled)  # after the recount, whose numbers it goes by
        advisers.append(advise)
        workers.counters.append(workers_seen)
        workers.stop_signs.append(is_stopping)
