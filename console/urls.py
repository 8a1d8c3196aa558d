"""The console's addresses."""

from django.urls import path

from console.views import (
    changes,
    connect,
    downloads,
    handbook,
    jobs,
    keys,
    memories,
    overview,
    preferences,
    quality,
    search,
    session,
    settings,
    why,
)

app_name = "console"
MEMORY = "t/<slug:slug>/memories/<uuid:memory>"
urlpatterns = [
    path("", session.home, name="home"),
    path("sign-in", session.sign_in, name="sign-in"),
    path("sign-out", session.sign_out, name="sign-out"),
    path("preferences", preferences.preferences, name="preferences"),
    path("help", handbook.page, name="help"),
    path("docs", handbook.page),
    path("sdk/<str:name>", downloads.sdk, name="wheel"),
    path("t/<slug:slug>/", overview.tenant, name="tenant"),
    path("t/<slug:slug>/help", handbook.page, name="help"),
    path("t/<slug:slug>/activity", overview.activity, name="activity"),
    path("t/<slug:slug>/search", search.search, name="search"),
    path("t/<slug:slug>/search/why", why.explain, name="why"),
    path("t/<slug:slug>/memories", memories.listing, name="memories"),
    path("t/<slug:slug>/memories/new", changes.add, name="add"),
    path("t/<slug:slug>/connect", connect.connect, name="connect"),
    path("t/<slug:slug>/connect/<slug:client>", connect.client, name="connect-client"),
    path("t/<slug:slug>/keys", keys.keys, name="keys"),
    path("t/<slug:slug>/keys/new", keys.new_key, name="key-new"),
    path("t/<slug:slug>/keys/<uuid:key>", keys.key, name="key"),
    path("t/<slug:slug>/keys/<uuid:key>/revoke", keys.revoke, name="key-revoke"),
    path("t/<slug:slug>/settings", settings.settings, name="settings"),
    path("t/<slug:slug>/jobs", jobs.jobs, name="jobs"),
    path("t/<slug:slug>/jobs/<uuid:job>", jobs.job, name="job"),
    path("t/<slug:slug>/quality", quality.quality, name="quality"),
    path("t/<slug:slug>/quality/run", quality.run, name="quality-run"),
    path("t/<slug:slug>/quality/<uuid:question>/remove", quality.remove, name="quality-remove"),
    path(MEMORY, memories.memory, name="memory"),
    path(f"{MEMORY}/correct", changes.correct_memory, name="correct"),
    path(f"{MEMORY}/undo", changes.undo_correction, name="undo"),
    path(f"{MEMORY}/delete", changes.erase_memory, name="delete"),
    path(f"{MEMORY}/retract", changes.retract, name="retract"),
    path(f"{MEMORY}/feedback", quality.feedback, name="feedback"),
    path(f"{MEMORY}/expect", quality.expect, name="expect"),
    path(f"{MEMORY}/restore", changes.restore_memory, name="restore"),
]
