"""How hypothesis draws."""

from hypothesis import HealthCheck, settings

# The same examples everywhere: a failure in CI is a failure here.  The first example of a session may
# wait for a compilation, so no deadline.
settings.register_profile(
    "studylib",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("studylib")
