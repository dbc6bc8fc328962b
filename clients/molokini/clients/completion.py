"""``molokini completion``: what a shell sources to complete commands and options.

The scripts hold all that there is, so that no key press waits for Python. Where a word may be a file the
shell completes files.
"""

from collections.abc import Callable, Iterator

from molokini.clients.arguments.shared import CompletionArguments
from molokini.clients.commands import COMMANDS, GROUPS
from molokini.clients.described import Described, DescribedCommand, described
from molokini.compat.tool import SYSTEMS
from molokini.model.errors import UnknownName
from molokini.model.version import version

Commands = tuple[DescribedCommand, ...]


def completion(arguments: CompletionArguments) -> None:
    """Print the script; raises UnknownName for another shell."""
    if arguments.shell not in SCRIPTS:
        raise UnknownName("shell", arguments.shell, SCRIPTS)
    print("\n".join(SCRIPTS[arguments.shell](tuple(described()))))


def _values() -> dict[str, tuple[str, ...]]:
    """Words that are known beforehand, by the option behind which they stand."""
    return {"--policy": _policies(), "--system": tuple(SYSTEMS)}


def _policies() -> tuple[str, ...]:
    try:
        from molokini.policies import policy_names

        return tuple(policy_names())
    except ModuleNotFoundError:  # without the extra that simulates
        return ()


def _summaries() -> dict[str, str]:
    """What may stand first, and what it is for, in one line."""
    alone = {row.name: row.help.partition("\n\n")[0] for row in COMMANDS if " " not in row.name}
    first = dict.fromkeys(row.name.partition(" ")[0] for row in COMMANDS)
    return {name: GROUPS.get(name) or alone[name] for name in first}


def _below(group: str, commands: Commands) -> dict[str, str]:
    """The commands of *group*, and what each is for."""
    return {
        one.words[1]: one.help.partition("\n\n")[0]
        for one in commands
        if len(one.words) == 2 and one.words[0] == group
    }


def _typed(command: DescribedCommand) -> tuple[str, ...]:
    """What may be typed behind *command*: its options, and words that it takes."""
    named = tuple(name for option in command.options for name in option.names)
    return (*named, *SCRIPTS) if command.words == ("completion",) else named


def _bash(commands: Commands) -> Iterator[str]:
    yield f"# Commands and options of molokini {version()} for bash. Source it:"
    yield "#   source <(molokini completion bash)"
    yield "_molokini() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield '    local command="${COMP_WORDS[1]}"'
    yield f"    case $command in {'|'.join(GROUPS)})"
    yield '        (( COMP_CWORD > 2 )) && command+=" ${COMP_WORDS[2]}" ;;'
    yield "    esac"
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f'        words="{" ".join((*_summaries(), "--help", "--version"))}"'
    yield "    else"
    yield "        case $command in"
    for group in GROUPS:
        yield f'            "{group}") words="{" ".join((*_below(group, commands), "--help"))}" ;;'
    for one in commands:
        yield f'            "{" ".join(one.words)}") words="{" ".join(_typed(one))}" ;;'
    yield "        esac"
    yield "    fi"
    yield "    case $before in"
    for option, values in _values().items():
        yield f'        {option}) words="{" ".join(values)}" ;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield "}"
    yield "complete -o default -F _molokini molokini"


def _zsh(commands: Commands) -> Iterator[str]:
    yield "#compdef molokini"
    yield f"# Commands and options of molokini {version()} for zsh. Source it behind compinit:"
    yield "#   source <(molokini completion zsh)"
    yield "_molokini() {"
    yield "    local command=$words[2]"
    yield "    local -a found"
    yield f"    case $command in ({'|'.join(GROUPS)})"
    yield '        (( CURRENT > 3 )) && command+=" $words[3]" ;;'
    yield "    esac"
    yield "    case $words[CURRENT-1] in"
    for option, values in _values().items():
        yield f"        ({option}) compadd -- {' '.join(values)}; _files; return ;;"
    yield "    esac"
    yield "    if (( CURRENT == 2 )); then"
    yield from _zsh_words("        ", _summaries())
    yield "        _describe command found; return"
    yield "    fi"
    yield "    case $command in"
    for group in GROUPS:
        yield f"        ({_quoted(group)})"
        yield from _zsh_words("            ", _below(group, commands))
        yield "            _describe command found; return ;;"
    for one in commands:
        yield f"        ({_quoted(' '.join(one.words))})"
        texts = {name: option.help for option in one.options for name in option.names}
        words = dict.fromkeys(SCRIPTS, "The shell.") if one.words == ("completion",) else {}
        yield from _zsh_words("            ", {**texts, **words})
        yield "            ;;"
    yield "    esac"
    yield "    [[ $PREFIX == -* || $command == completion ]] && _describe option found || _files"
    yield "}"
    yield 'if [[ $funcstack[1] == _molokini ]]; then _molokini "$@"; else compdef _molokini molokini; fi'


def _zsh_words(margin: str, texts: dict[str, str]) -> Iterator[str]:
    yield f"{margin}found=("
    for name, text in texts.items():
        yield f"{margin}    {_quoted(name + ':' + text)}"
    yield f"{margin})"


def _fish(commands: Commands) -> Iterator[str]:
    yield f"# Commands and options of molokini {version()} for fish. Source it:"
    yield "#   molokini completion fish | source"
    yield "function __molokini_behind"
    yield "    set -l words (commandline -opc)"
    yield "    set -l first 2 (math (count $argv) + 1)"
    yield '    test (count $words) -gt (count $argv); and test "$words[$first[1]..$first[2]]" = "$argv"'
    yield "end"
    yield "function __molokini_first"
    yield "    test (count (commandline -opc)) -eq 1"
    yield "end"
    yield "function __molokini_group"
    yield "    set -l words (commandline -opc)"
    yield '    test (count $words) -eq 2; and test "$words[2]" = "$argv"'
    yield "end"
    for name, text in _summaries().items():
        yield f"complete -c molokini -f -n __molokini_first -a {name} -d {_fish_quoted(text)}"
    yield "complete -c molokini -f -n __molokini_first -l version -d 'Show the version.'"
    for group in GROUPS:
        for name, text in _below(group, commands).items():
            there = _quoted(f"__molokini_group {group}")
            yield f"complete -c molokini -f -n {there} -a {name} -d {_fish_quoted(text)}"
    values = _values()
    for one in commands:
        there = _quoted(" ".join(("__molokini_behind", *one.words)))
        for option in one.options:
            yield f"complete -c molokini -n {there} {_fish_option(option, values)}"
        if one.words == ("completion",):
            yield f"complete -c molokini -f -n {there} -a {_quoted(' '.join(SCRIPTS))}"


def _fish_option(option: Described, values: dict[str, tuple[str, ...]]) -> str:
    names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    known = next((values[name] for name in option.names if values.get(name)), ())
    # A policy may be a file, too.
    alone = "-r" if "--policy" in option.names else "-x"
    taken = f"{alone} -a {_quoted(' '.join(known))} " if known else "-r " if option.metavar else ""
    return f"{' '.join(names)} {taken}-d {_fish_quoted(option.help)}"


def _quoted(text: str) -> str:
    """*text* as one word of bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    """*text* as one word of fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS: dict[str, Callable[[Commands], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""What makes the script of each shell."""
