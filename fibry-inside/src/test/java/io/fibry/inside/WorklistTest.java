package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorSystem;
import io.fibry.testing.Aside;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Lists on whose rows somebody can act, as HTTP has them. */
class WorklistTest {
    static final String TOKEN = "a-token-of-this-test";
    private static final String BEARER = "Authorization: Bearer " + TOKEN;
    private static final String JSON = "Content-Type: application/json";
    private static final String HOSTILE = "<script>alert(1)</script>\n\u202e2026 INFO \"all is well\"";

    private final Logger log = (Logger) LoggerFactory.getLogger(Worklist.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    /** As what fibry-durable has parked. */
    record Letter(String key, String name, String to, String message, Instant at, int tries, String reason) {
        Letter(String key, String message) {
            this(key, "\u001f12/0", "accounts", message, Instant.parse("2026-11-29T21:57:04.123Z"), 10,
                    "java.lang.IllegalStateException: the account is closed");
        }
    }

    /** Letters, as a store has them. */
    static final class Letters {
        final NavigableMap<String, Letter> byKey = new ConcurrentSkipListMap<>();
        final List<String> sent = new CopyOnWriteArrayList<>();

        Letters put(String key) {
            byKey.put(key, new Letter(key, "the message of " + key));
            return this;
        }

        Worklist<Letter> list() {
            return Worklist.of("Parked letters", this::read).action("Send again", this::send)
                    .action("Drop", letter -> byKey.remove(letter.key()) != null);
        }

        List<Letter> read(Optional<Letter> after, int most) {
            return after.map(last -> byKey.tailMap(last.key(), false)).orElse(byKey).values().stream()
                    .limit(most)
                    .toList();
        }

        private boolean send(Letter letter) throws IOException {
            if (letter.key().startsWith("bad")) {
                throw new IOException("the disk is full");
            }
            if (letter.key().startsWith("worse")) {
                throw new AssertionError("a mistake of the program");
            }
            sent.add(letter.key());
            return byKey.remove(letter.key()) != null;
        }
    }

    @BeforeEach
    void listen() {
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
        log.setLevel(null);
    }

    static InsideOptions options(Worklist<?> list) {
        return InsideOptions.localPort(0).token(TOKEN).worklist(list);
    }

    private static String read(Inside inside, String after) throws IOException {
        return Asked.get(inside, "/worklist?list=0&after=" + after, BEARER).content();
    }

    /** Returns the id of a row. */
    private static String id(String json, int row) {
        return Pattern.compile("\"id\":\"([0-9a-f]{64})\"").matcher(json).results().skip(row)
                .findFirst().orElseThrow().group(1);
    }

    private static Asked act(Inside inside, String row, String action, String... headers) throws IOException {
        return Asked.ask(inside, "POST", "/worklist?list=0&row=" + row + "&action=" + action, "", headers);
    }

    private String logged() {
        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.getFirst().getLevel()).isEqualTo(Level.INFO);
        return lines.list.removeFirst().getFormattedMessage();
    }

    @Promise("54.12")
    @Test
    void aRowIsActedOnOnceAndTheLogSaysByWhom() throws IOException {
        var letters = new Letters().put("ann").put("bad").put("cid").put("worse");
        try (var inside = Inside.open(options(letters.list()))) {
            var shown = read(inside, "");
            assertThat(shown).contains("\"title\":\"Parked letters\",\"actions\":[\"Send again\",\"Drop\"]",
                    "\"columns\":[\"key\",\"name\",\"to\",\"message\",\"at\",\"tries\",\"reason\"]",
                    "\"cells\":[\"ann\",\"12/0\",\"accounts\",\"the message of ann\"",
                    "\"more\":false");
            assertThat(id(read(inside, ""), 0)).as("it stays the same").isEqualTo(id(shown, 0));

            var done = act(inside, id(shown, 0), "Send%20again", BEARER, JSON);
            assertThat(done.status()).isEqualTo(200);
            assertThat(done.content())
                    .isEqualTo("{\"outcome\":\"done\",\"text\":\"Send again ann 12/0: done\"}");
            assertThat(logged()).matches("/127[.]0[.]0[.]1:[0-9]+ asked in the list 'Parked letters'"
                    + " for 'Send again' of 'ann 12/0': done");
            assertThat(act(inside, id(shown, 0), "Send%20again", BEARER, JSON).content())
                    .isEqualTo("{\"outcome\":\"gone\",\"text\":\"Send again ann 12/0: not there any more\"}");
            assertThat(logged()).endsWith("'ann 12/0': not there any more");

            assertThat(act(inside, id(shown, 1), "Send%20again", BEARER, JSON).content()).contains(
                    "\"outcome\":\"failed\"", "Send again bad 12/0: failed: IOException: the disk is full");
            assertThat(logged()).endsWith("'bad 12/0': failed: IOException: the disk is full");
            assertThat(act(inside, id(shown, 1), "Drop", BEARER, JSON).content())
                    .contains("\"outcome\":\"done\"");
            assertThat(logged()).contains("for 'Drop' of 'bad 12/0': done");
            assertThat(letters.byKey).containsOnlyKeys("cid", "worse");
            assertThat(act(inside, id(shown, 3), "Send%20again", BEARER, JSON).content())
                    .contains("\"outcome\":\"failed\"", "AssertionError: a mistake of the program");
            assertThat(logged()).endsWith("'worse 12/0': failed: AssertionError: a mistake of the program");

            assertThat(act(inside, "0".repeat(64), "Drop", BEARER, JSON).content())
                    .contains("\"outcome\":\"gone\"");
            assertThat(logged()).contains("for 'Drop' of 'a row': it is not among the rows");
            assertThat(act(inside, id(shown, 2), "Burn%0Ait", BEARER, JSON).content())
                    .contains("no such action");
            assertThat(logged()).endsWith("for 'Burn it' of 'cid 12/0': the list has no such action");
            assertThat(letters.byKey).containsOnlyKeys("cid", "worse");
        }
    }

    /** A value of the program, which cannot be read. */
    record Broken(String key, Object what) {
        public Object what() {
            if (key.equals("thrown")) {
                throw new IllegalStateException("the account is gone");
            }
            return what;
        }
    }

    @Promise("54.12")
    @Test
    void aCellThatCannotBeReadLeavesTheOtherRows() throws IOException {
        var fails = new Object() {
            @Override
            public String toString() {
                throw new IllegalArgumentException("no text");
            }
        };
        var rows = List.of(new Broken("fine", "all"), new Broken("thrown", "x"), new Broken("untold", fails));
        var dropped = new CopyOnWriteArrayList<String>();
        var list = Worklist.of("Broken", (Optional<Broken> after, int most) -> rows).action("Drop",
                row -> dropped.add(row.key()));
        try (var inside = Inside.open(options(list))) {
            var shown = read(inside, "");
            assertThat(shown).contains("[\"fine\",\"all\"]",
                    "[\"thrown\",\"cannot be read: IllegalStateException: the account is gone\"]",
                    "[\"untold\",\"cannot be read: IllegalArgumentException: no text\"]");
            assertThat(act(inside, id(shown, 1), "Drop", BEARER, JSON).content())
                    .contains("\"outcome\":\"done\"");
            assertThat(dropped).containsExactly("thrown");
        }
    }

    @Promise({"54.2", "54.12"})
    @Test
    void nobodyElseCanAct() throws IOException {
        var letters = new Letters().put("ann");
        try (var inside = Inside.open(options(letters.list()))) {
            var row = id(read(inside, ""), 0);
            var own = "Origin: http://127.0.0.1:" + inside.port();
            assertThat(act(inside, row, "Drop", JSON).status()).as("without the token").isEqualTo(401);
            assertThat(Asked.get(inside, "/worklist?list=0").status()).isEqualTo(401);
            for (var foreign : List.of("Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
                    "Sec-Fetch-Site: none",
                    "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1",
                    "Origin: http://evil.example/://127.0.0.1:" + inside.port())) {
                var refused = act(inside, row, "Drop", BEARER, JSON, foreign);
                assertThat(refused.status()).as(foreign).isEqualTo(403);
                assertThat(refused.content()).isEqualTo("Another site may not ask for this.\n");
            }
            for (var type : List.of("text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                    "")) {
                var refused = act(inside, row, "Drop", BEARER, own, "Content-Type: " + type);
                assertThat(refused.status()).as(type).isEqualTo(415);
                assertThat(refused.content()).contains("application/json");
            }
            assertThat(act(inside, row, "Drop", BEARER, own).status()).isEqualTo(415);
            for (var method : List.of("PUT", "DELETE", "PATCH")) {
                assertThat(Asked
                        .ask(inside, method, "/worklist?list=0&row=" + row + "&action=Drop", "", BEARER, JSON)
                        .status()).isEqualTo(405);
            }
            assertThat(
                    Asked.get(inside, "/worklist?list=0&row=" + row + "&action=Drop", BEARER, JSON).content())
                    .as("a GET only reads").contains("\"rows\":[{");
            assertThat(act(inside, row, "Drop", BEARER, JSON).content()).contains("\"outcome\":\"done\"");
            assertThat(lines.list).hasSize(1);
            assertThat(letters.byKey).isEmpty();
            letters.put("ann");
            read(inside, "");
            assertThat(act(inside, row, "Drop", BEARER, JSON, own, "Sec-Fetch-Site: same-origin").status())
                    .isEqualTo(200);
            assertThat(letters.byKey).isEmpty();
            assertThat(Asked.ask(inside, "POST", "/worklist?list=1&row=x&action=Drop", "", BEARER, JSON)
                    .status())
                    .isEqualTo(404);
        }
    }

    @Promise({"54.2", "54.12"})
    @Test
    void withoutListsThePageOnlyReadsAndListsNeedAToken() throws Exception {
        try (var inside = Inside.open(0)) {
            assertThat(Asked.get(inside, "/now").content()).contains("\"worklists\":0");
            assertThat(act(inside, "x", "Drop", JSON).status()).isEqualTo(404);
            assertThat(Asked.get(inside, "/worklist?list=0").status()).isEqualTo(404);
        }
        var list = new Letters().list();
        assertThatThrownBy(() -> InsideOptions.localPort(0).worklist(list))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'Parked letters'").hasMessageContaining("call token(...) first");
        assertThatThrownBy(() -> list.action("Drop", letter -> true))
                .hasMessageContaining("two actions 'Drop'");
        assertThat(options(list).token("another-token-of-it").tls(SSLContext.getDefault()).worklists())
                .containsExactly(list);
    }

    @Promise("54.12")
    @Test
    void aHostileRowIsOneLineOfTheLogAndNoMarkup() throws IOException {
        var letters = new Letters().put(HOSTILE);
        try (var inside = Inside.open(options(letters.list()))) {
            var shown = read(inside, "");
            assertThat(shown).doesNotContain("<", ">").contains("\\u003cscript\\u003e");
            var done = act(inside, id(shown, 0), "Drop", BEARER, JSON).content();
            assertThat(done).contains("\"outcome\":\"done\"").doesNotContain("<", ">");
            assertThat(logged()).contains("<script>alert(1)</script> 2026 INFO").doesNotContain("\n",
                    "\u202e");
            assertThat(letters.byKey).isEmpty();

            // Cells that are the same if they are put side by side.
            letters.byKey.put("a", new Letter("a\0b", "c", "", "", Instant.EPOCH, 1, ""));
            letters.byKey.put("b", new Letter("a", "b\0c", "", "", Instant.EPOCH, 1, ""));
            var both = read(inside, "");
            assertThat(id(both, 0)).isNotEqualTo(id(both, 1));
        }
    }

    @Promise("54.12")
    @Test
    void tenThousandRowsAreShownInPages() throws IOException {
        var letters = new Letters();
        for (int i = 0; i < 10_000; i++) {
            letters.put("key %04d".formatted(i));
        }
        letters.byKey.put("key 0007", new Letter("key 0007", "x".repeat(100_000)));
        try (var inside = Inside.open(options(letters.list()))) {
            var first = read(inside, "");
            assertThat(first).contains("\"first\":true", "\"more\":true", "key 0024")
                    .doesNotContain("key 0025")
                    .hasSizeLessThan(15_000);
            var second = read(inside, id(first, 24));
            assertThat(second).contains("\"first\":false", "key 0025", "key 0049").doesNotContain("key 0024");
            for (int page = 0; page < 40; page++) {
                second = read(inside, id(second, 24));
            }
            assertThat(second).contains("key 1025");
            assertThat(read(inside, id(first, 24))).as("too long ago").contains("\"first\":true", "key 0000");
            assertThat(act(inside, id(first, 0), "Drop", BEARER, JSON).content())
                    .contains("\"outcome\":\"done\"");
            assertThat(letters.byKey).hasSize(9_999);
        }
    }

    @Promise("54.12")
    @Test
    void aListThatCannotBeReadSaysSoAndOneThatWaitsHoldsUpNoOther() throws Exception {
        var go = new CountDownLatch(1);
        var begun = new CountDownLatch(1);
        var stuck = Worklist.of("stuck", (Optional<Letter> after, int most) -> {
            begun.countDown();
            Waits.on(go);
            return List.of();
        });
        var failing = Worklist.<Letter>of("failing", (after, most) -> {
            throw new IOException("no store");
        });
        try (var inside = Inside.open(options(stuck).worklist(failing));
                var other = new Socket("127.0.0.1", inside.port())) {
            other.getOutputStream()
                    .write(("GET /worklist?list=0 HTTP/1.1\r\nHost: localhost\r\n" + BEARER + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            Waits.on(begun);
            assertThat(Asked.get(inside, "/worklist?list=1", BEARER).content())
                    .contains("\"title\":\"failing\"", "\"failed\":\"IOException: no store\"");
            assertThat(Asked.get(inside, "/now", BEARER).content()).contains("\"worklists\":2");
            go.countDown();
        } finally {
            go.countDown();
        }
    }

    @Promise("54.12")
    @Test
    void whatTakesLongIsNotSaidToHaveFailed() throws Exception {
        var time = new ManualTime();
        var letters = new Letters().put("ann");
        var begun = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        var list = Worklist.<Letter>of("slow", letters::read).action("Drop", letter -> {
            begun.countDown();
            Waits.on(go);
            return letters.byKey.remove(letter.key()) != null;
        });
        try (var inside = LivePage.open(options(list), ActorSystem.configure(Inside.SCOPE).time(time),
                ActorSystem.root()::dump)) {
            var row = id(read(inside, ""), 0);
            var late = Aside.run(() -> act(inside, row, "Drop", BEARER, JSON));
            Waits.on(begun);
            Waits.until("it is late", () -> {
                time.advance(Duration.ofSeconds(1));
                return !lines.list.isEmpty();
            });
            var answer = Waits.on(late);
            assertThat(answer.status()).isEqualTo(504);
            assertThat(answer.content()).startsWith("not done within 10 s, but it may still be");
            assertThat(logged())
                    .endsWith("asked in list 1 for 'Drop': not done within 10 s, but it may still be");
            go.countDown();
            read(inside, "");
            assertThat(logged()).endsWith("for 'Drop' of 'ann 12/0': done");
            assertThat(letters.byKey).isEmpty();
        } finally {
            go.countDown();
        }
    }
}
