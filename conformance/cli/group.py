"""A group of verbs that suggests one where there is none of a name, and refuses an option that is given twice."""

from __future__ import annotations

from collections import Counter

import click
from rankspec.oracle.suggestions import suggestion


class Verbs(click.Group):
    """A group of verbs."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb.

        Raises:
            click.UsageError: there is none of that name, or an option that has one value is given twice.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            near = suggestion(args[0], known) or f"; there are {', '.join(known)}"
            raise click.UsageError(f"there is no verb {args[0]!r}{near}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _require_once(command, click.Context(command, parent=ctx, info_name=name, **command.context_settings), rest)
        return name, command, rest


def _require_once(command: click.Command, ctx: click.Context, arguments: list[str]) -> None:
    """Refuse a repetition of which click would keep the last and drop the others without a word."""
    _, _, order = command.make_parser(ctx).parse_args(list(arguments))
    for parameter, count in Counter(order).items():
        single = isinstance(parameter, click.Option) and not (parameter.multiple or parameter.count)
        if count > 1 and single and isinstance(parameter, click.Option) and not parameter.is_flag:
            raise click.UsageError(f"{max(parameter.opts, key=len)} is given {count} times; give it once", ctx)
