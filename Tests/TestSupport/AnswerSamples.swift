// SPDX-License-Identifier: Apache-2.0

/// Answers that show what can be in one.
package enum AnswerSamples {
  package static let all: [(name: String, text: String)] = [
    ("long", long), ("scripts", scripts), ("table", table), ("code", code), ("corners", corners),
  ]

  /// The answer with this name.
  package static func text(_ name: String) -> String { all.first { $0.name == name }?.text ?? "" }

  package static let long = """
    # Backups with **rsync**

    A backup that *nobody* has restored is a ~~promise~~ hope. This text is long enough to be wrapped at eighty \
    columns, and it has `inline code`, a [manual](https://download.samba.org/pub/rsync/rsync.1) and a bare address, \
    https://rsync.samba.org/.

    ## Steps

    1. Mount the disk.
    2. Copy, with a line that is too long for a narrow terminal and so goes on below its own beginning:

       ```sh
       rsync -a --delete "$HOME/" /mnt/backup/   # the slash matters
       ```

    3. Check it:
       - compare the *sizes*,
       - restore **one** file,
         1. any file,
         2. and read it.

    > Keep one copy elsewhere.
    > > Quotes may be nested, and they are wrapped as well, however deep they are and however narrow the terminal is.

    - [x] done
    - [ ] not done

    ***

    Two spaces at the end  
    break a line &amp; entities &lt;stand&gt; for characters.

    Title of a second kind
    ----------------------

        indented code   keeps   its spaces
    """

  package static let scripts = """
    ## 多言語のテスト

    東京は日本の首都であり、世界最大級の都市圏の中心です。「引用」も正しく折り返されます。長い文は単語の間に空白がなくても、端末の幅で改行されます。

    中文没有空格,所以每个字之间都可以换行,但是标点符号不能出现在行首。English words 和中文混排也没有问题。

    Emoji: 👍 👍🏽 👨‍👩‍👧‍👦 ❤️ 🇩🇪 🏳️‍🌈 – and text goes on behind them, as far as the line reaches.

    مرحبا بالعالم، هذا نص عربي طويل بما يكفي ليلتف على أكثر من سطر واحد في محطة ضيقة. السَّلامُ عَلَيْكُمْ

    שלום עולם, זה טקסט בעברית.

    Combining: e\u{301}te\u{301}, n\u{303}, Z\u{351}\u{36B}a\u{365}l\u{36E}go, हिन्दी में पाठ, ไทยไม่มีช่องว่าง.

    - 項目一
    - 項目二 with `コード`
    """

  package static let table = """
    The plans:

    | Plan | Price | What it has that the others do not have | 備考 |
    |:-----|------:|:---------------------------------------:|------|
    | Free | 0 € | Nothing, but it is *there* for everybody who wants to try it | 無料 |
    | Plus | 20 € | `o3`, images and a voice | 人気 |
    | Pro | 200 € | Everything, without limits that anybody has met, https://example.org/a/long/address/of/a/page | 👍 |

    A table that is wider than any terminal:

    | a1 | b2 | c3 | d4 | e5 | f6 | g7 | h8 | i9 | j10 | k11 | l12 | m13 | n14 |
    |----|----|----|----|----|----|----|----|----|-----|-----|-----|-----|-----|
    | alpha | beta | gamma | delta | epsilon | zeta | eta | theta | iota | kappa | lambda | mu | nu | xi |

    After it.
    """

  package static let code = """
    Python:

    ```python
    def greet(name: str) -> None:
        \"\"\"Says hello,
        on two lines.\"\"\"
        print(f"Hello, {name}!")  # a comment

    for number in range(10):
        greet(str(number))
    ```

    C:

    ```c
    /* A comment
       of two lines. */
    int main(void) { return puts("Hello") < 0 ? 1 : 0; }
    ```

    ~~~sh
    for file in *.txt; do echo "$file" | tr a-z A-Z; done # ``` is no fence here
    ~~~

    ```
    no language\tand a tab, and a line that is much longer than a narrow terminal, which is left to the terminal to wrap
    ```

    ```swift
    let answer = 42
    """

  /// Characters that terminals measure differently, up to the end of each line.
  package static let widths = [
    "👍🏽", "👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}", "🇩🇪", "🏳\u{FE0F}\u{200D}🌈", "👩🏽\u{200D}💻", "1\u{FE0F}\u{20E3}",
    "e\u{301}x", "हिन्दी", "ไม่มี", "السَّلامُ", "\u{1112}\u{1161}\u{11AB}", "東京",
  ].map { String(repeating: $0 + " ", count: 90) }.joined(separator: "\n\n")

  /// What went wrong once.
  package static let corners = """
    1. a number

    2. and another, which is a paragraph as long as its dot is missing

    - a tight item with code:
      ```
      code
      ```
    - and one without

    -

    * empty before this

    A rule, or a title?
    ---
    [a link that does not end](http://example.org/
    """
}
