"""`apply`, `status`, `logs`, `wait` and `delete`: what of a job happens in a cluster.

Decisions are pure functions over the objects as the API server gives them; one file talks to it. Refuses to
import the Kubernetes client before a verb needs it.
"""
