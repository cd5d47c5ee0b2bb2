# SPDX-License-Identifier: Apache-2.0
# fish completion for chappie(1)

function __chappie_accounts
    chappie accounts 2>/dev/null | sed -n '/^$/q; p' | string replace -r '  +' \t
end

# The applications and access groups with a sign-in of their own.
function __chappie_apps
    chappie accounts --json 2>/dev/null | string replace -rf '^\{"(?:app|access_group)":"([^"\\\\]*)".*' '$1'
end

function __chappie_no_verb
    test (count (commandline -opc)) -eq 1
end

# Whether the verb, which is the first word, is one of the arguments. The words behind ask are text.
function __chappie_verb
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

# The same for the verb behind threads.
function __chappie_threads_verb
    set -l words (commandline -opc)
    test (count $words) -ge 3; and test "$words[2]" = threads; and contains -- $words[3] $argv
end

function __chappie_threads_no_verb
    set -l words (commandline -opc)
    test (count $words) -eq 2; and test "$words[2]" = threads
end

# Whether the options of "threads list" apply, which search has too: list is the default subcommand.
function __chappie_threads_list
    __chappie_verb threads; or return
    set -l words (commandline -opc)
    test (count $words) -lt 3; or contains -- $words[3] list search; or string match -q -- '-*' $words[3]
end

# Models and their other names. Without a terminal, nobody is asked for the keyring's password.
function __chappie_models
    timeout 2 chappie models --json 2>/dev/null </dev/null |
        sed -En 's/^\{"slug":"([^"]*)"(,"aliases":\["([^]]*)"\])?.*/\1","\3/p' | sed 's/","/\n/g' | sed '/^$/d'
end

# Without a terminal, nobody is asked for the keyring's password.
function __chappie_threads
    printf 'last\tThe one that changed last\n'
    chappie threads list --json --limit 50 $argv 2>/dev/null </dev/null |
        string replace -rf '^\{"id":"([^"]*)","title":"((?:[^"\\\\]|\\\\.)*)".*' '$1\t$2'
end

# Whether approvals has the number of words behind it.
function __chappie_approvals_words
    set -l words (commandline -opc)
    test (count $words) -eq (math $argv[1] + 2); and test "$words[2]" = approvals
end

function __chappie_approvals
    chappie approvals --json 2>/dev/null | string replace -rf '^\{"approval":"([a-z0-9-]*)","tool":"([^"\\\\]*)".*' '$1\t$2'
end

# The argument is a pattern for more of the line.
function __chappie_templates
    chappie templates --json 2>/dev/null | string replace -rf '^\{"template":"([^"]*)".*'"$argv[1]"'.*' '$1'
end

# Whether tools has the number of words behind it, and the first one is one of the others.
function __chappie_tools_words
    set -l words (commandline -opc)
    test (count $words) -eq (math $argv[1] + 2); and test "$words[2]" = tools; or return
    test $argv[1] -eq 0; or contains -- $words[3] $argv[2..]
end

# Whether tools has this verb behind it.
function __chappie_tools_verb
    set -l words (commandline -opc)
    test (count $words) -ge 3; and test "$words[2]" = tools; and contains -- $words[3] $argv
end

function __chappie_servers
    chappie tools list --json 2>/dev/null | string replace -rf '^\{"server":"([^"\\\\]*)".*' '$1'
end

complete -c chappie -f

complete -c chappie -n __chappie_no_verb -a sign-in -d 'Sign in to ChatGPT, in the browser or with a code'
complete -c chappie -n __chappie_no_verb -a sign-out -d 'Remove the stored sign-in and revoke it'
complete -c chappie -n __chappie_no_verb -a status -d 'Show who is signed in'
complete -c chappie -n __chappie_no_verb -a ask -d 'Ask, and print the answer as it comes'
complete -c chappie -n __chappie_no_verb -a chat -d 'Talk with the model, line by line'
complete -c chappie -n __chappie_no_verb -a context -d 'Show, summarise or forget the conversation of ask outside of threads'
complete -c chappie -n __chappie_no_verb -a threads -d 'List, show and manage stored conversations'
complete -c chappie -n __chappie_no_verb -a models -d 'List the models that the plan offers'
complete -c chappie -n __chappie_no_verb -a usage -d 'Show how much of the plan is used'
complete -c chappie -n __chappie_no_verb -a act -d 'Act on the selected text'
complete -c chappie -n __chappie_no_verb -a templates -d 'List the templates of ask'
complete -c chappie -n __chappie_no_verb -a suggest-command -d 'Turn a text into a command of the shell, and print it'
complete -c chappie -n __chappie_no_verb -a explain-last -d 'Explain why the last failed command failed'
complete -c chappie -n __chappie_no_verb -a shell-integration -d 'Print lines for the startup file of a shell'
complete -c chappie -n __chappie_no_verb -a tools -d 'Manage the MCP servers whose tools the model may call'
complete -c chappie -n __chappie_no_verb -a accounts -d 'List the stored accounts, and applications with a sign-in of their own'
complete -c chappie -n __chappie_no_verb -a approvals -d 'Show the tool calls that wait for approval'
complete -c chappie -n __chappie_no_verb -a monitor -d 'Print a line for each change of the sign-in, or of the usage'
complete -c chappie -n __chappie_no_verb -a doctor -d 'Check what a sign-in and an answer need'
complete -c chappie -n __chappie_no_verb -a erase -d 'Sign out, and remove everything that is stored'
complete -c chappie -n __chappie_no_verb -a help -d 'Show all commands, or the options of one'
complete -c chappie -n __chappie_no_verb -l version -d 'Show the version'
complete -c chappie -s h -l help -d 'Show help'

complete -c chappie -n __chappie_threads_no_verb -a list -d 'List the threads, the latest change first'
complete -c chappie -n __chappie_threads_no_verb -a search -d 'Find threads by words of their titles and texts'
complete -c chappie -n __chappie_threads_no_verb -a show -d 'Show the messages of a thread'
complete -c chappie -n __chappie_threads_no_verb -a export -d 'Write a thread, or all, as JSON or Markdown'
complete -c chappie -n __chappie_threads_no_verb -a rename -d 'Give a thread another title'
complete -c chappie -n __chappie_threads_no_verb -a archive -d 'Archive threads; retention deletes them later'
complete -c chappie -n __chappie_threads_no_verb -a unarchive -d 'Make archived threads active again'
complete -c chappie -n __chappie_threads_no_verb -a delete -d 'Delete threads for good'
complete -c chappie -n __chappie_threads_no_verb -a undo -d 'Remove the last message of threads, and its answer'
complete -c chappie -n __chappie_threads_no_verb -a usage -d 'Show how much space the threads take'
complete -c chappie -n __chappie_threads_no_verb -a compact -d 'Summarise a long thread for the model'

complete -c chappie -n '__chappie_tools_words 0' -a add -d 'Add a server, after a look at what it runs'
complete -c chappie -n '__chappie_tools_words 0' -a list -d 'List the servers'
complete -c chappie -n '__chappie_tools_words 0' -a show -d 'Show everything about a server'
complete -c chappie -n '__chappie_tools_words 0' -a policy -d 'Say which calls run at once, ask or are refused'
complete -c chappie -n '__chappie_tools_words 0' -a approve -d 'Approve the tools of a server as they are now'
complete -c chappie -n '__chappie_tools_words 0' -a remove -d 'Remove a server, with what was approved'
complete -c chappie -n '__chappie_tools_words 0' -a enable -d 'Let questions use a server again'
complete -c chappie -n '__chappie_tools_words 0' -a disable -d 'Keep a server, and let no question use it'
complete -c chappie -n '__chappie_tools_words 0' -a secret -d 'Store a secret for servers in your keyring'
complete -c chappie -n '__chappie_tools_words 0' -a log -d 'Show the last calls of tools'
complete -c chappie -n '__chappie_tools_words 1 show policy approve remove enable disable log' -a '(__chappie_servers)'
complete -c chappie -n '__chappie_tools_words 2 policy' -a 'automatic ask deny'
complete -c chappie -n '__chappie_tools_verb list' -l json -d 'Print JSON'
complete -c chappie -n '__chappie_tools_verb add approve' -s y -l yes -d 'Do not ask first'
complete -c chappie -n '__chappie_tools_verb add' -l directory -x -a '(__fish_complete_directories)' -d 'Give it this directory, with :ro to read only'
complete -c chappie -n '__chappie_tools_verb add' -l env -x -d 'Set a variable for it'
complete -c chappie -n '__chappie_tools_verb add' -l from -r -F -d 'Add the servers in a file of another program'
complete -c chappie -n '__chappie_tools_verb add' -l network -d 'Give it the network'
complete -c chappie -n '__chappie_tools_verb add' -l unboxed -d 'Run it without a sandbox'
complete -c chappie -n '__chappie_tools_verb secret' -l remove -d 'Remove it from the keyring'

complete -c chappie -n '__chappie_approvals_words 0' -a approve -d 'Let a tool run once'
complete -c chappie -n '__chappie_approvals_words 0' -a deny -d 'Keep a tool from running'
complete -c chappie -n '__chappie_approvals_words 1' -a '(__chappie_approvals)'

complete -c chappie -n '__chappie_verb sign-in sign-out status ask chat context threads models usage act suggest-command explain-last monitor' -l account -x -a '(__chappie_accounts)' -d 'Use this stored account'
complete -c chappie -n '__chappie_verb sign-out accounts' -l app -x -a '(__chappie_apps)' -d 'This application'
complete -c chappie -n '__chappie_verb accounts' -l background -x -a 'allow deny ask' -d 'Set the answer on background use'
complete -c chappie -n '__chappie_verb sign-in' -l browser -d 'Sign in in the browser'
complete -c chappie -n '__chappie_verb sign-in' -l device-code -d 'Sign in with a code'
complete -c chappie -n '__chappie_verb sign-in' -l paste -d 'Use a browser on another computer'
complete -c chappie -n '__chappie_verb sign-in' -l no-open -d 'Print the address of the page, and do not open it'
complete -c chappie -n '__chappie_verb sign-in' -l no-browser -d 'The same as --no-open'
complete -c chappie -n '__chappie_verb sign-in' -l another-account -d 'Let another account replace the stored one'
complete -c chappie -n '__chappie_verb sign-in' -l connect-anew -d 'Connect Chappie anew, after it was removed in the settings of ChatGPT'
complete -c chappie -n '__chappie_verb sign-in' -l enable-plan-use -d 'Ask again for the use of your ChatGPT plan'
complete -c chappie -n '__chappie_verb sign-in' -l after-first-unlock -d 'Let it be used while the screen is locked, too'
complete -c chappie -n '__chappie_verb sign-in status ask context models usage templates accounts approvals monitor doctor; or __chappie_tools_words 0' -l json -d 'Print JSON'
complete -c chappie -n '__chappie_verb monitor' -l usage -d 'Show how much of the plan is used'
complete -c chappie -n '__chappie_verb monitor' -l i3bar -d 'Print blocks for i3bar and swaybar'
complete -c chappie -n '__chappie_verb usage' -l follow -d 'Print a line for each change'
complete -c chappie -n '__chappie_verb erase' -s y -l yes -d 'Do not ask first'
complete -c chappie -n '__chappie_verb ask' -s c -l continue -d 'Follow up the last ask'
complete -c chappie -n '__chappie_verb ask chat' -l thread -x -a '(__chappie_threads; echo new\tBegin one)' -d 'Continue this thread'
complete -c chappie -n '__chappie_verb ask chat explain-last; or __chappie_threads_verb show' -l raw -d 'Print answers as the model wrote them'
complete -c chappie -n '__chappie_verb ask chat' -s m -l model -x -a '(__chappie_models)' -d 'Ask this model'
complete -c chappie -n '__chappie_verb ask chat' -l fast -d 'Answer sooner, think less'
complete -c chappie -n '__chappie_verb ask chat' -l effort -x -a 'low medium high xhigh max ultra' -d 'How much to think'
complete -c chappie -n '__chappie_verb ask chat' -l search -d 'Let the model search the web'
complete -c chappie -n '__chappie_verb ask chat' -l search-cached -d 'Let the model search copies of pages'
complete -c chappie -n '__chappie_verb ask chat' -l search-domain -x -d 'Search this domain alone'
complete -c chappie -n '__chappie_verb ask chat' -l tools -x -d 'Let the model use these tool servers'
complete -c chappie -n '__chappie_verb models' -l input -x -a 'text image' -d 'Only models that read this'
complete -c chappie -n '__chappie_verb models' -l effort -x -a 'low medium high xhigh max ultra' -d 'Only models that take this reasoning effort'
complete -c chappie -n '__chappie_verb ask chat' -s s -l instructions -x -d 'Instructions for the model'
complete -c chappie -n '__chappie_verb ask' -s t -l template -x -a '(__chappie_templates)' -d 'Ask what this template says'
complete -c chappie -n '__chappie_verb suggest-command explain-last' -l shell -x -a 'bash zsh fish' -d 'The shell of the command'
complete -c chappie -n '__chappie_verb explain-last' -s y -l yes -d 'Do not ask first'
complete -c chappie -n '__chappie_verb shell-integration' -x -a 'bash zsh fish'
complete -c chappie -n '__chappie_verb act' -l stdin -d 'Act on standard input, and print the answer'
complete -c chappie -n '__chappie_verb act' -x -a "(__chappie_templates '\"action\":true')"
complete -c chappie -n '__chappie_verb ask act' -s p -l parameter -x -d 'The value of a variable of the template'
complete -c chappie -n '__chappie_verb ask' -s f -l file -r -F -d 'Send this text file too, - for standard input'
complete -c chappie -n '__chappie_verb ask' -s x -l extract -d 'Print the last code block alone'
complete -c chappie -n '__chappie_verb ask' -l schema -r -F -d 'Answer with JSON of this schema'
complete -c chappie -n '__chappie_verb ask' -s o -l output -r -F -d 'Write the answer to this file, too'
complete -c chappie -n '__chappie_verb ask' -l image -r -F -d 'Send this image, - for standard input'
complete -c chappie -n '__chappie_verb context' -l messages -d 'Print the messages'
complete -c chappie -n '__chappie_verb context' -l clear -d 'Forget it'
complete -c chappie -n '__chappie_verb context' -l compact -d 'Have the model summarise it'
complete -c chappie -n '__chappie_verb context' -l summary -x -d 'Replace it by this summary'
complete -c chappie -n '__chappie_threads_list' -l archived -d 'The archived threads, not the active ones'
complete -c chappie -n '__chappie_threads_list' -l limit -x -d 'List at most N threads'
complete -c chappie -n '__chappie_threads_list; or __chappie_threads_verb usage' -l json -d 'Print JSON'
complete -c chappie -n '__chappie_threads_verb show export rename archive delete undo compact' -a '(__chappie_threads)'
complete -c chappie -n '__chappie_threads_verb unarchive' -a '(__chappie_threads --archived)'
complete -c chappie -n '__chappie_threads_verb export' -l format -x -a 'json markdown' -d 'Write this'
complete -c chappie -n '__chappie_threads_verb export' -s o -l output -r -F -d 'Write to this file'
complete -c chappie -n '__chappie_threads_verb export' -l all -d 'All threads, into a directory'
complete -c chappie -n '__chappie_threads_verb export' -l force -d 'Replace existing files'
complete -c chappie -n '__chappie_threads_verb delete' -l all -d 'All threads, and their key'
complete -c chappie -n '__chappie_threads_verb delete' -s y -l yes -d 'Do not ask first'
