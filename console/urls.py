"""The console's addresses."""

from django.urls import path

from console.views import changes, memories, overview, preferences, search, session

app_name = "console"
MEMORY = "t/<slug:slug>/memories/<uuid:memory>"
urlpatterns = [
    path("", session.home, name="home"),
    path("sign-in", session.sign_in, name="sign-in"),
    path("sign-out", session.sign_out, name="sign-out"),
    path("preferences", preferences.preferences, name="preferences"),
    path("t/<slug:slug>/", overview.tenant, name="tenant"),
    path("t/<slug:slug>/activity", overview.activity, name="activity"),
    path("t/<slug:slug>/search", search.search, name="search"),
    path("t/<slug:slug>/memories", memories.listing, name="memories"),
    path("t/<slug:slug>/memories/new", changes.add, name="add"),
    path(MEMORY, memories.memory, name="memory"),
    path(f"{MEMORY}/correct", changes.correct_memory, name="correct"),
    path(f"{MEMORY}/undo", changes.undo_correction, name="undo"),
    path(f"{MEMORY}/delete", changes.erase_memory, name="delete"),
    path(f"{MEMORY}/retract", changes.retract, name="retract"),
    path(f"{MEMORY}/restore", changes.restore_memory, name="restore"),
]
