"""The REST API's addresses, below `/api/v1/`."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from memory.api.docs import DocsView
from memory.api.feedback import FeedbackView
from memory.api.golden import GoldenQuestionsView, GoldenRunsView, GoldenRunView
from memory.api.jobs import JobsView, JobView
from memory.api.memories import InvalidateView, MemoriesView, MemoryView
from memory.api.recall import RecallView, WhyView
from memory.api.settings import SettingsView
from memory.api.status import HealthView, RootView, StatusView, UnknownView
from memory.api.tools import ToolsView, ToolView

app_name = "api"
urlpatterns = [
    path("", RootView.as_view(), name="root"),
    path("health", HealthView.as_view(), name="health"),
    path("status", StatusView.as_view(), name="status"),
    path("memories", MemoriesView.as_view(), name="memories"),
    path("memories/<uuid:memory_id>", MemoryView.as_view(), name="memory"),
    path("invalidate", InvalidateView.as_view(), name="invalidate"),
    path("recall", RecallView.as_view(), name="recall"),
    path("recall/why", WhyView.as_view(), name="why"),
    path("feedback", FeedbackView.as_view(), name="feedback"),
    path("golden-questions", GoldenQuestionsView.as_view(), name="golden-questions"),
    path("golden-runs", GoldenRunsView.as_view(), name="golden-runs"),
    path("golden-runs/<uuid:run_id>", GoldenRunView.as_view(), name="golden-run"),
    path("jobs", JobsView.as_view(), name="jobs"),
    path("jobs/<uuid:job_id>", JobView.as_view(), name="job"),
    path("settings", SettingsView.as_view(), name="settings"),
    path("tools", ToolsView.as_view(), name="tools"),
    path("tools/<str:tool>", ToolView.as_view(), name="tool"),
    path("schema", SpectacularAPIView.as_view(), name="schema"),
    path("docs", DocsView.as_view(url_name="api:schema"), name="docs"),
    re_path("", UnknownView.as_view(), name="unknown"),
]
