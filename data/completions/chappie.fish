# SPDX-License-Identifier: Apache-2.0
# fish completion for chappie(1)

function __chappie_accounts
    chappie accounts 2>/dev/null | string replace -r '  +' \t
end

function __chappie_no_verb
    test (count (commandline -opc)) -eq 1
end

# Whether the verb, which is the first word, is one of the arguments. The words behind ask are text.
function __chappie_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

complete -c chappie -f

complete -c chappie -n __chappie_no_verb -a sign-in -d 'Sign in to ChatGPT with a code'
complete -c chappie -n __chappie_no_verb -a sign-out -d 'Remove the stored sign-in and revoke it'
complete -c chappie -n __chappie_no_verb -a status -d 'Show who is signed in'
complete -c chappie -n __chappie_no_verb -a ask -d 'Ask, and print the answer as it comes'
complete -c chappie -n __chappie_no_verb -a chat -d 'Talk with the model, line by line'
complete -c chappie -n __chappie_no_verb -a context -d 'Show, shorten or forget the conversation of ask --continue'
complete -c chappie -n __chappie_no_verb -a models -d 'List the models that the plan offers'
complete -c chappie -n __chappie_no_verb -a usage -d 'Show how much of the plan is used'
complete -c chappie -n __chappie_no_verb -a accounts -d 'List the stored accounts'
complete -c chappie -n __chappie_no_verb -a monitor -d 'Print a line for each change of the sign-in'
complete -c chappie -n __chappie_no_verb -l version -d 'Show the version'
complete -c chappie -s h -l help -d 'Show help'

complete -c chappie -n '__chappie_verb sign-in sign-out status ask chat context models usage monitor' -l account -x -a '(__chappie_accounts)' -d 'Use this stored account'
complete -c chappie -n '__chappie_verb sign-in' -l no-browser -d 'Do not open the page in a browser'
complete -c chappie -n '__chappie_verb sign-in' -l after-first-unlock -d 'Let it be used while the screen is locked, too'
complete -c chappie -n '__chappie_verb status ask context models usage accounts monitor' -l json -d 'Print JSON'
complete -c chappie -n '__chappie_verb ask' -s c -l continue -d 'Go on with the conversation of the last --continue'
complete -c chappie -n '__chappie_verb ask chat' -s m -l model -x -d 'Ask this model'
complete -c chappie -n '__chappie_verb ask chat' -l fast -d 'Answer sooner, think less'
complete -c chappie -n '__chappie_verb ask chat' -l effort -x -a 'minimal low medium high' -d 'How much to think'
complete -c chappie -n '__chappie_verb models' -l input -x -a 'text image' -d 'Only models that read this'
complete -c chappie -n '__chappie_verb models' -l effort -x -a 'minimal low medium high' -d 'Only models that take this reasoning effort'
complete -c chappie -n '__chappie_verb ask chat' -l instructions -x -d 'What the model should keep to'
complete -c chappie -n '__chappie_verb ask' -l image -r -F -d 'Show this image'
complete -c chappie -n '__chappie_verb context' -l messages -d 'Print what was said'
complete -c chappie -n '__chappie_verb context' -l clear -d 'Forget it'
complete -c chappie -n '__chappie_verb context' -l compact -d 'Have the model put it in short'
complete -c chappie -n '__chappie_verb context' -l summary -x -d 'Replace it by this text'
