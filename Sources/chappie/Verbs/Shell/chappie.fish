# SPDX-License-Identifier: Apache-2.0
# Chappie in fish: chappie(1) describes it. No variable is exported.

# Replaces the text on the prompt's line by a command. The second time, the text comes back.
function _chappie_suggest
    set -l text (commandline | string collect)
    set -l line
    if test -n "$_chappie_command"; and test "$text" = "$_chappie_command"
        set line $_chappie_text
        set -g _chappie_command
    else
        # What the command says stands in place of the prompt's line, which is drawn again below.
        printf '\r\e[K' >&2
        set line (printf %s $text | command chappie suggest-command --shell fish | string collect)
        if test -n "$line"
            set -g _chappie_text $text
            set -g _chappie_command $line
        end
    end
    if test -n "$line"
        commandline --replace -- $line
    end
    commandline --function repaint
end

set -g _chappie_status 0

# After each command: remembers the last failed one, but not the text of one that began with a space.
function _chappie_postexec --on-event fish_postexec
    set -l code $status
    set -g _chappie_command
    if test $code -ne 0; and not string match --quiet -- '*explain-last*' $argv[1]
        set -g _chappie_failed $argv[1]
        string match --quiet -- ' *' $argv[1]; and set -g _chappie_failed
        set -g _chappie_status $code
    end
end

function explain-last
    CHAPPIE_LAST_COMMAND=(string sub --length 16384 -- "$_chappie_failed" | string collect) \
        CHAPPIE_LAST_STATUS=$_chappie_status command chappie explain-last --shell fish $argv
end

set -l key \ec
test -n "$CHAPPIE_KEY"; and set key $CHAPPIE_KEY
bind --mode default $key _chappie_suggest
bind --mode insert $key _chappie_suggest
