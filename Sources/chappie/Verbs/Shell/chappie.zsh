# SPDX-License-Identifier: Apache-2.0
# Chappie in zsh: chappie(1) describes it.

# An array, which is never in the environment of other programs.
typeset -gA _chappie=(text '' command '' histchars '' line '' failed '' status 0)

# Replaces the text on the prompt's line by a command. The second time, the text comes back.
_chappie_suggest() {
  emulate -L zsh
  local line
  if [[ -n $_chappie[command] && $BUFFER == $_chappie[command] ]]; then
    line=$_chappie[text]
    _chappie_end_line
  else
    # Ctrl-C ends the question alone, and the line stays.
    trap : INT
    zle -I
    line=$(print -rn -- $BUFFER | command chappie suggest-command --shell zsh) || return 0
    _chappie[text]=$BUFFER
    _chappie[command]=$line
    # A ! in this line does not stand for an old command: Enter runs what is shown.
    if [[ -z $_chappie[histchars] ]]; then
      _chappie[histchars]=$histchars
      histchars=$'\1\2'${histchars[3]}
    fi
  fi
  BUFFER=$line
  CURSOR=$#BUFFER
}

_chappie_end_line() {
  emulate -L zsh
  [[ -z $_chappie[histchars] ]] || histchars=$_chappie[histchars]
  _chappie[histchars]=
  _chappie[command]=
}

_chappie_preexec() {
  emulate -L zsh
  _chappie[line]=$1
}

# Before each prompt: remembers the last failed command, but not the text of one that began with a space.
_chappie_precmd() {
  local code=$?
  emulate -L zsh
  _chappie_end_line
  if [[ $code != 0 && -n $_chappie[line] && $_chappie[line] != *explain-last* ]]; then
    _chappie[failed]=$_chappie[line]
    [[ $_chappie[line] != ' '* ]] || _chappie[failed]=
    _chappie[status]=$code
  fi
  _chappie[line]=
}

explain-last() {
  emulate -L zsh
  CHAPPIE_LAST_COMMAND=${_chappie[failed]:0:16384} CHAPPIE_LAST_STATUS=$_chappie[status] \
    command chappie explain-last --shell zsh "$@"
}

autoload -Uz add-zsh-hook
add-zsh-hook preexec _chappie_preexec
add-zsh-hook precmd _chappie_precmd
zle -N _chappie_suggest
bindkey -M emacs ${CHAPPIE_KEY:-'\ec'} _chappie_suggest
bindkey -M viins ${CHAPPIE_KEY:-'\ec'} _chappie_suggest
