# SPDX-License-Identifier: Apache-2.0
# Chappie in bash: chappie(1) describes it.

# An array, which is never in the environment of other programs.
declare -gA _chappie=([text]='' [command]='' [expands]='' [failed]='' [failed_at]='' [status]=0 [number]='' [count]='')

# Replaces the text on the prompt's line by a command. The second time, the text comes back.
_chappie_suggest() {
  local line interrupt status=0
  if [[ -n ${_chappie[command]} && $READLINE_LINE == "${_chappie[command]}" ]]; then
    line=${_chappie[text]}
    _chappie_end_line
  else
    # Ctrl-C ends the question alone, and the line stays.
    interrupt=$(trap -p INT)
    trap : INT
    line=$(printf %s "$READLINE_LINE" | command chappie suggest-command --shell bash) || status=$?
    trap - INT
    eval "$interrupt"
    [[ $status == 0 ]] || return 0
    _chappie[text]=$READLINE_LINE
    _chappie[command]=$line
    # A ! in this line does not stand for an old command: Enter runs what is shown.
    if [[ $- == *H* ]]; then
      _chappie[expands]=1
      set +H
    fi
  fi
  READLINE_LINE=$line
  READLINE_POINT=${#line}
}

_chappie_end_line() {
  [[ -z ${_chappie[expands]} ]] || set -H
  _chappie[expands]=''
  _chappie[command]=''
}

# Before each prompt: remembers the last failed command. The history has its text, if nothing kept it out of there.
_chappie_prompt() {
  local status=$? number='\!' count='\#' text=''
  number=${number@P}
  count=${count@P}
  # An empty history has the number of one with a single command.
  [[ $number != 1 || -n $(builtin history 1) ]] || number=0
  _chappie_end_line
  if [[ $status != 0 && $count != "${_chappie[count]}" ]]; then
    if [[ $number != "${_chappie[number]}" && -o history ]]; then
      text=$(HISTTIMEFORMAT='' builtin history 1)
      [[ $text =~ ^\ *[0-9]+[*\ ]\ (.*) ]] && text=${BASH_REMATCH[1]}
    elif [[ $number == "${_chappie[failed_at]}" && $status == "${_chappie[status]}" ]]; then
      # The same command again: the history keeps one copy.
      text=${_chappie[failed]}
    fi
    if [[ $text != *explain-last* ]]; then
      _chappie[failed]=$text
      _chappie[failed_at]=$number
      _chappie[status]=$status
    fi
  fi
  _chappie[number]=$number
  _chappie[count]=$count
  # With set -e a failed hook would end the shell.
  [[ $- == *e* ]] || return "$status"
}

_chappie_explain() {
  CHAPPIE_LAST_COMMAND=${_chappie[failed]:0:16384} CHAPPIE_LAST_STATUS=${_chappie[status]} \
    command chappie explain-last --shell bash "$@"
}
# In POSIX mode no function has a hyphen in its name.
alias explain-last=_chappie_explain

bind -m emacs-standard -x "\"${CHAPPIE_KEY:-\\ec}\": _chappie_suggest"
bind -m vi-insert -x "\"${CHAPPIE_KEY:-\\ec}\": _chappie_suggest"
# Last, because it may be readonly.
[[ ${PROMPT_COMMAND[*]} == *_chappie_prompt* ]] ||
  PROMPT_COMMAND="_chappie_prompt${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}"
