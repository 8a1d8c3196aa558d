from typing import Any

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models

from loci.ground.ids import uuid7
from tenants.models.tenant import Tenant
from tenants.scope import Role


class People(BaseUserManager["User"]):
    """Makes users; an e-mail address is compared without regard to case."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A saved user with a usable password, or none when `password` is None."""
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, email: str | None) -> "User":
        return self.get(email=(email or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person. What they may do in a tenant stands in their Membership."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = People()
    USERNAME_FIELD = "email"

    def __str__(self) -> str:
        return self.email


class Membership(models.Model):
    """A person's role in a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="membership_once_per_tenant"),
            models.UniqueConstraint(fields=["tenant", "id"], name="membership_tenant_id"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role}"
