package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.Counters;
import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.browser.Tab;
import io.fibry.dump.ActorDump;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.dump.DumpSection;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.WaitChain;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The page in a real browser. Where none is installed this is skipped, and the thorough build fails. The pictures are in {@code
 * target/pictures}, to be looked at.
 */
class PageTest {
    private static final Path PICTURES = Path.of("target", "pictures");
    private static final String HOSTILE =
            "<script>alert('x')</script><img src=x onerror=alert(1)>\" & \\u0041 \uD83D\uDE00";
    private static final String TAB_KEY = "Tab";
    private static Browser browser;

    @BeforeAll
    static void start() throws IOException {
        var found = Browser.start();
        if (Boolean.getBoolean("fibry.thorough")) {
            assertThat(found).as("the thorough build skips nothing: install chromium").isPresent();
        }
        assumeTrue(found.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        browser = found.get();
    }

    @AfterAll
    static void end() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    private static Tab open(Inside inside, int width, int height, String colours) {
        var tab = browser.blank();
        tab.size(width, height, 1);
        tab.prefer("prefers-color-scheme", colours);
        tab.go(inside.address().toString());
        tab.until("document.querySelector('#state')?.textContent.trim()", "live");
        return tab;
    }

    private static String text(String selector) {
        return "document.querySelector(" + Tab.text(selector) + ")?.textContent";
    }

    private static void assertFine(Tab tab) {
        assertThat(tab.problems()).isEmpty();
        assertThat(tab.see("document.documentElement.scrollWidth <= innerWidth")).as("no scrolling sideways")
                .isEqualTo("true");
    }

    @Promise({"54.1", "54.8"})
    @Test
    void aStuckChainAndAnEventAreSeenAndADumpIsTaken() throws Exception {
        var paid = new CountDownLatch(1);
        var scope = ActorSystem.open("shop");
        try (var inside = Inside.open(0)) {
            var bank = scope.named("bank").newActorWithReturn((Integer cents) -> {
                paid.await();
                return cents;
            });
            var till = scope.named("till").newActorWithReturn((Integer cents) -> bank.apply(cents));
            var door = scope.named("door").newActor((Integer cents) -> {
                till.apply(cents);
            });
            for (int i = 0; i < 5; i++) {
                door.sendMessage(i);
            }
            var tab = open(inside, 1280, 900, "light");
            tab.until("[...document.querySelectorAll('.graphs title')].map(t => t.textContent).sort().join()",
                    "bank,door,till");
            tab.until(text(".graphs .end .note") + ".startsWith('blocked at PageTest.java:')", "true");
            tab.until("[...document.querySelectorAll('#scopes .choose')].map(b => b.textContent).join()",
                    "root,shop");
            // The depth of an unbounded mailbox is an estimate: it may count the message at work.
            tab.until(
                    "[...document.querySelectorAll('#actors tbody tr')].some(row => row.cells[0].textContent === 'door'"
                            + " && /[45]/.test(row.cells[2].textContent))",
                    "true");
            tab.until(text("#slow .each") + ".startsWith('over ')", "true");

            var printer = scope.named("printer").newActor((Integer page) -> {
                throw new IllegalStateException("paper jam");
            });
            printer.sendMessage(1);
            tab.until(text("#events .kind"), "failed");
            assertThat(tab.see(text("#events .what")))
                    .isEqualTo("on Integer: IllegalStateException: paper jam");

            tab.until("document.querySelectorAll('#actors tbody tr').length >= 3", "true");
            tab.see("[...document.querySelectorAll('#scopes .choose')][0].click()");
            tab.until(text("#actors-note"), "of root");

            tab.see("document.querySelector('#show-dump').click()");
            tab.until(text("#dump pre") + ".includes(\"'door' -> 'till' -> 'bank'\")", "true");
            assertThat(tab.see("document.querySelector('#dump').open")).isEqualTo("true");
            tab.picture(PICTURES.resolve("dump.png"));
            tab.see("document.querySelector('#close-dump').click()");
            assertFine(tab);
        } finally {
            paid.countDown();
            scope.close();
        }
    }

    @Promise("54.1")
    @Test
    void hostileNamesAreTexts() throws Exception {
        var paid = new CountDownLatch(1);
        var scope = ActorSystem.open(HOSTILE);
        try (var inside = Inside.open(0)) {
            Actor<Integer, Integer> slow =
                    scope.named("slow " + HOSTILE).newActorWithReturn((Integer cents) -> {
                        paid.await();
                        return cents;
                    });
            var asks = scope.named("asks " + HOSTILE).newActor((Integer cents) -> {
                slow.apply(cents);
            });
            asks.sendMessage(1);
            scope.named("fails " + HOSTILE).newActor((Integer cents) -> {
                throw new IllegalStateException(HOSTILE);
            }).sendMessage(1);
            var tab = open(inside, 390, 844, "dark");
            tab.until("document.querySelectorAll('#scopes .choose').length", "2");
            assertThat(tab.see("[...document.querySelectorAll('#scopes .choose')][1].textContent"))
                    .isEqualTo(HOSTILE);
            tab.until("document.querySelectorAll('#actors tbody tr').length >= 2", "true");
            tab.until(text(".graphs .end title"), "slow " + HOSTILE);
            scope.named("later " + HOSTILE).newActor((Integer cents) -> {
                throw new IllegalStateException(HOSTILE);
            }).sendMessage(1);
            tab.until(text("#events .who"), "later " + HOSTILE);
            tab.until(
                    "[...document.querySelectorAll('#actors tbody td:first-child')].every(td => td.textContent.endsWith("
                            + Tab.text(HOSTILE) + "))",
                    "true");
            assertThat(tab.see("document.querySelectorAll('img, body script').length")).isEqualTo("0");
            tab.picture(PICTURES.resolve("hostile.png"));
            assertFine(tab);
        } finally {
            paid.countDown();
            scope.close();
        }
    }

    private static Inside showing(Function<DumpOptions, Dump> dumps) {
        return LivePage.open(InsideOptions.localPort(0), ActorSystem.configure(Inside.SCOPE), dumps);
    }

    @Promise("54.1")
    @Test
    void aCycleIsRedAndLongChainsAreShortened() throws Exception {
        var names = IntStream.range(0, 40).mapToObj(i -> "link " + i).toList();
        var cycle = new WaitChain(List.of("door", "till", "bank", "ledger"), 0, WaitChain.Ending.CYCLE, "");
        var chain = new WaitChain(names, 12, WaitChain.Ending.RUNS, "shop.Till.book(Till.java:7)");
        var shown =
                new AtomicReference<>(Dumps.of(Instant.now(), Dumps.scope("root", 3, 1, 0), cycle, chain));
        try (var inside = showing(options -> shown.get())) {
            for (var colours : List.of("light", "dark")) {
                for (int width : new int[]{1280, 390}) {
                    var tab = open(inside, width, 900, colours);
                    tab.until("document.querySelectorAll('.graphs svg').length", "2");
                    assertThat(tab.see("document.querySelectorAll('.graphs g.cycle').length")).isEqualTo("4");
                    assertThat(tab.see("document.querySelectorAll('.graphs path.edge.cycle').length"))
                            .isEqualTo("4");
                    assertThat(
                            tab.see("getComputedStyle(document.querySelector('.graphs .cycle text')).fill"))
                            .isEqualTo("light".equals(colours) ? "rgb(192, 50, 43)" : "rgb(255, 123, 114)");
                    assertThat(tab.see("[...document.querySelectorAll('.graphs title')]"
                            + ".map(t => t.textContent).filter(t => /more|[+]/.test(t)).sort().join()"))
                            .isEqualTo("+12 actors,33 more actors");
                    tab.see("document.querySelector('#waits').scrollIntoView()");
                    tab.picture(PICTURES.resolve("cycle-" + colours + "-" + width + ".png"));
                    assertFine(tab);
                }
            }
        }
    }

    /** The nodes in the middle of a long chain are left out, also those of a cycle. */
    @Promise("54.1")
    @Test
    void aLongCycleClosesWhereItsLastActorWaits() throws Exception {
        var names = IntStream.range(0, 12).mapToObj(i -> "a" + i).toList();
        for (var place : Map.of(1, "5 more actors,a1,a10,a11,a2,a8,a9", 5, "5 more actors,a10,a11,a8,a9", 9,
                "a10,a11,a9").entrySet()) {
            var last = new ActorDump("a11", "H", ActorState.BUSY, 0, 0, Optional.empty(),
                    new Counters(0, 0, 0, 0, 0, 0), List.of(), List.of("a" + place.getKey()),
                    Optional.empty(), 0, 0, 0, 0);
            var scope = Dumps.showing("root", last);
            var cycle = new WaitChain(names, 0, WaitChain.Ending.CYCLE, "");
            try (var inside = showing(options -> Dumps.of(Instant.now(), scope, cycle))) {
                var tab = open(inside, 1280, 900, "light");
                tab.until("[...document.querySelectorAll('.graphs g.cycle title')]"
                        + ".map(t => t.textContent).sort().join()", place.getValue());
                assertFine(tab);
            }
        }
    }

    /** Two tenants, of which one is blocked and the other one works. */
    @Promise("54.1")
    @Test
    void scopesOfOneNameAreShownApart() throws Exception {
        var blocked =
                new WaitChain(List.of("till", "bank"), 0, WaitChain.Ending.BLOCKED, "Shop.pay(Shop.java:3)");
        var runs = new WaitChain(List.of("till", "bank"), 0, WaitChain.Ending.RUNS, "Bank.add(Bank.java:9)");
        var taken = new AtomicInteger();
        var isChanging = new AtomicBoolean();
        try (var inside = showing(options -> {
            taken.incrementAndGet();
            var shops = new ArrayList<ScopeDump>();
            var number = isChanging.get() ? 1 + taken.get() % 2 : 2;
            for (int i = 0; i < number; i++) {
                shops.add(Dumps.showing("shop", Dumps.actor("till", 1, Duration.ofSeconds(2)),
                        Dumps.actor("bank", 0, Duration.ofSeconds(2))));
            }
            return Dumps.of(Instant.now(), Dumps.scope("root", 0, 0, 0, shops.toArray(ScopeDump[]::new)),
                    blocked, runs);
        })) {
            var tab = open(inside, 1280, 900, "light");
            Waits.until("four samples", () -> taken.get() >= 4);
            assertThat(tab.see("document.querySelectorAll('#slow li').length")).isEqualTo("2");
            assertThat(tab.see(
                    "[...document.querySelectorAll('.graphs .end .note')].map(t => t.textContent).sort().join()"))
                    .isEqualTo("blocked at Shop.java:3,works at Bank.java:9");
            assertThat(tab.see(text("#waits-note")))
                    .isEqualTo("actors of several scopes have the same names");
            tab.picture(PICTURES.resolve("twins.png"));
            isChanging.set(true);
            tab.until(text("#sub-handled"), "scopes of one name have come or gone");
            assertFine(tab);
        }
    }

    @Promise({"54.1", "54.8"})
    @Test
    void anEventOfAnotherDayHasItsDate() throws Exception {
        var time = new ManualTime();
        var shown = Dumps.of(Instant.now(), Dumps.scope("root", 0, 0, 0));
        var builder = ActorSystem.configure(Inside.SCOPE).time(time);
        try (var scope = ActorSystem.open("shop");
                var inside = LivePage.open(InsideOptions.localPort(0), builder, options -> shown)) {
            var tab = open(inside, 1280, 900, "light");
            scope.named("printer").newActor((Integer page) -> {
                throw new IllegalStateException("paper jam");
            }).sendMessage(1);
            tab.until(text("#events .kind"), "failed");
            assertThat(tab.see(text("#events time"))).matches("[0-9]+ [A-Z][a-z]+ [0-9]{4} [0-9:]{8}");
            assertFine(tab);
        }
    }

    @Promise("54.1")
    @Test
    void eachColourOfAnEventCanBeRead() throws Exception {
        var shown = Dumps.of(Instant.now(), Dumps.scope("root", 0, 0, 0));
        try (var scope = ActorSystem.open("shop"); var inside = showing(options -> shown)) {
            var tab = open(inside, 1280, 900, "light");
            scope.named("printer").newActor((Integer page) -> {
                throw new IllegalStateException("paper jam");
            }).sendMessage(1);
            tab.until(text("#events .kind"), "failed");
            for (var colours : List.of("light", "dark")) {
                tab.prefer("prefers-color-scheme", colours);
                for (var colour : List.of("", "warn", "bad")) {
                    assertThat(PageRules.after(tab,
                            "document.querySelector('#events .kind').className = 'kind " + colour + "'"))
                            .as(colours).doesNotContain("contrast");
                }
            }
        }
    }

    @Promise("54.1")
    @Test
    void thePagesOfALongListOfScopesAreTurnedAlsoInAPause() throws Exception {
        var scopes = IntStream.range(0, 130).mapToObj(i -> Dumps.scope("s%03d".formatted(i), 0, 0, 0))
                .toArray(ScopeDump[]::new);
        try (var inside = showing(options -> Dumps.of(Instant.now(), Dumps.scope("root", 0, 0, 0, scopes)))) {
            var tab = open(inside, 1280, 900, "light");
            tab.see("document.querySelector('#pause').click()");
            click(tab, "›");
            tab.until(text("#scopes .choose"), "s099");
            assertThat(tab.see(text("#state span"))).isEqualTo("paused");
            assertFine(tab);

            // A question is on its way.
            tab.see("void (window.fetch = (before => (...args) => new Promise(go => window.go = () => {"
                    + " window.fetch = before; go(before(...args)); }))(fetch))");
            tab.see("document.querySelector('#pause').click()");
            tab.until("typeof window.go", "function");
            tab.see("document.querySelector('#pause').click()");
            click(tab, "‹");
            tab.see("window.go()");
            tab.until(text("#scopes .choose"), "root");
            assertThat(tab.see(text("#state span"))).isEqualTo("paused");
            assertFine(tab);
        }
    }

    /** The samples come when the clock of the test says so: each of them takes 1.5 s. */
    @Promise("54.1")
    @Test
    void whatIsNotKnownIsSaidWithAReason() throws Exception {
        var time = new ManualTime();
        var shown = new AtomicReference<>(Dumps.unseen("root", 7, 0));
        var builder = ActorSystem.configure(Inside.SCOPE).time(time);
        try (var inside = LivePage.open(InsideOptions.localPort(0), builder, options -> {
            time.advance(Duration.ofMillis(1_500));
            return new Dump(time.clock().instant(), Duration.ofMillis(1_500), "25", 2, 0, shown.get(),
                    List.of());
        })) {
            var tab = open(inside, 1280, 1_000, "light");
            tab.until(text("#no-slow"), "How long handlers take is unknown: it takes two samples.");
            assertThat(tab.see(text("#sum-handled"))).isEqualTo("–");
            assertThat(tab.see(text("#sub-handled"))).isEqualTo("it takes two samples");
            assertThat(tab.see(text("#sub-waiting"))).isEqualTo("for how long: unknown");
            assertThat(tab.see(text("#chart-time output"))).isEqualTo("unknown: it takes two samples");
            assertThat(tab.see(text("#chart-handled output"))).isEqualTo("unknown: it takes two samples");
            assertThat(tab.see(text("#scopes tbody td:nth-child(6)"))).isEqualTo("–");
            assertThat(tab.see("document.querySelector('#scopes tbody td:nth-child(6)').title"))
                    .isEqualTo("unknown: it takes two samples");
            assertThat(tab.see(text("footer"))).contains("one in 7.5 s, since a sample takes 1.5 s");
            PageRules.look(tab, "inside-unknown");

            time.advance(Duration.ofSeconds(6));
            tab.until(text("#no-slow"), "How long busy handlers take is unknown for 1 class:"
                    + " no message was handled between samples, or actors have ended, and none was seen twice.");
            assertThat(tab.see(text("#sum-handled"))).isEqualTo("0");
            assertThat(tab.see(text("#chart-time output")))
                    .isEqualTo("unknown: none was handled");
            assertThat(tab.see(text("#sub-lost"))).isEqualTo("none in the last 8 s");

            shown.set(Dumps.scope("root", 0, 0, 0));
            time.advance(Duration.ofSeconds(6));
            tab.until(text("#no-slow"), "No handler takes long.");
            assertThat(tab.see(text("#chart-time output"))).isEqualTo("no message waits");
            assertThat(tab.see("document.querySelectorAll('#chart-handled .line').length")).as("one line")
                    .isEqualTo("1");
            assertFine(tab);
        }
    }

    @Promise("54.1")
    @Test
    void beforeTheFirstSampleThePageSaysSo() throws Exception {
        var sampled = new CountDownLatch(1);
        try (var inside = showing(options -> {
            try {
                sampled.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Dumps.of(Instant.now(), Dumps.scope("root", 1, 0, 0));
        })) {
            var tab = browser.blank();
            tab.go(inside.address().toString());
            tab.until("document.readyState", "complete");
            tab.until(text("#no-slow"), "No sample yet.");
            assertThat(
                    tab.see("[...document.querySelectorAll('.plot')].some(plot => plot.checkVisibility())"))
                    .as("a chart without a sample").isEqualTo("false");
            PageRules.look(tab, "inside-start");
            sampled.countDown();
            tab.until("[...document.querySelectorAll('.plot')].every(plot => plot.checkVisibility())",
                    "true");
            PageRules.look(tab, "inside-one");
        } finally {
            sampled.countDown();
        }
    }

    @Promise("54.1")
    @Test
    void whatOthersAddToDumpsIsATable() throws Exception {
        var free = new AtomicInteger(3);
        try (var inside = Inside.open(0); var scope = ActorSystem.open("shop")) {
            var pool = scope.addToDumps(
                    () -> new DumpSection("Pool of " + HOSTILE, List.of("database", "free", "taken by"),
                            List.of(List.of("orders", "" + free.get(),
                                    "a handler with a long name, and another one"),
                                    List.of(HOSTILE, "0", ""))));
            var tab = open(inside, 390, 844, "light");
            tab.until(text("#sections h2 span"), "Pool of " + HOSTILE);
            tab.until(text("#sections small"), "in shop");
            assertThat(tab.see(
                    "[...document.querySelectorAll('#sections th')].map(each => each.textContent).join()"))
                    .isEqualTo("database,free,taken by");
            tab.until(text("#sections tbody td:nth-child(2)"), "3");
            free.set(2);
            tab.until(text("#sections tbody td:nth-child(2)"), "2");
            assertThat(tab.see(text("#sections tr:nth-child(2) td"))).isEqualTo(HOSTILE);
            tab.see("document.querySelector('#sections').scrollIntoView()");
            tab.picture(PICTURES.resolve("section.png"));
            assertFine(tab);
            pool.cancel();
            tab.until("document.querySelectorAll('#sections > *').length", "0");
            assertFine(tab);
        }
    }

    private static void click(Tab tab, String text) {
        tab.see("[...document.querySelectorAll('button')].find(each => each.checkVisibility() && each.textContent === "
                + Tab.text(text) + ").click()");
    }

    private static String keys() {
        return "[...document.querySelectorAll('#worklists tbody td:first-child')].map(td => td.textContent).join()";
    }

    @Promise("54.12")
    @Test
    void aRowIsLookedAtAndActedOn() throws Exception {
        var letters = new WorklistTest.Letters().put("ann").put("bad").put("cid");
        var first = letters.byKey.get("ann");
        try (var inside = Inside.open(WorklistTest.options(letters.list()))) {
            var tab = open(inside, 1280, 800, "light");
            tab.until(keys(), "ann,bad,cid");
            assertThat(tab.see(text("#worklists h2 span"))).isEqualTo("Parked letters");
            click(tab, "ann");
            tab.until("document.querySelector('#row').open", "true");
            assertThat(tab.see(text("#row dl")))
                    .isEqualTo("keyannname12/0toaccountsmessagethe message of annat2026-11-29T21:57:04.123Z"
                            + "tries10reasonjava.lang.IllegalStateException: the account is closed");
            assertThat(tab.see("document.activeElement.id")).as("a key that is held down")
                    .isEqualTo("close-row");
            tab.press("Enter", 13);
            tab.until("document.querySelector('#row').open", "false");
            assertThat(letters.byKey).hasSize(3);

            tab.see("document.querySelector('#worklists .acts button').click()");
            tab.until(text("#row-title"), "Send again: ann");
            tab.picture(PICTURES.resolve("row-act.png"));
            tab.see("document.querySelector('#row .actions button').click()");
            tab.until(text("#worklists .outcome"), "Send again ann 12/0: done");
            tab.until(keys(), "bad,cid");
            assertThat(letters.sent).containsExactly("ann");

            tab.see("document.querySelector('#worklists .acts button').click()");
            letters.byKey.remove("cid");
            tab.see("document.querySelector('#row .actions button').click()");
            tab.until(text("#worklists .outcome"),
                    "Send again bad 12/0: failed: IOException: the disk is full");
            tab.until(keys(), "bad");
            tab.picture(PICTURES.resolve("row-failed.png"));

            tab.see("document.querySelectorAll('#worklists .acts button')[1].click()");
            letters.byKey.clear();
            tab.see("document.querySelector('#row .actions button').click()");
            tab.until(text("#worklists .outcome"), "Drop bad 12/0: not there any more");
            tab.until(keys(), "");
            tab.until(text("#worklists .empty"), "Nothing is in this list.");
            letters.byKey.put("ann", first);
            tab.until(keys(), "ann");
            assertFine(tab);
        }
    }

    @Promise("54.12")
    @Test
    void anAnswerClosesOnlyTheRowThatItIsFor() throws Exception {
        var letters = new WorklistTest.Letters().put("ann").put("bob");
        var go = new CountDownLatch(1);
        var slow = letters.list().action("Burn", letter -> {
            Waits.on(go);
            return letters.byKey.remove(letter.key()) != null;
        });
        try (var inside = Inside.open(WorklistTest.options(slow))) {
            var tab = open(inside, 1280, 800, "light");
            tab.until(keys(), "ann,bob");
            click(tab, "ann");
            tab.see("[...document.querySelectorAll('#row .actions button')].at(-1).click()");
            click(tab, "Close");
            click(tab, "bob");
            go.countDown();
            tab.until(text("#worklists .outcome"), "Burn ann 12/0: done");
            assertThat(tab.see("document.querySelector('#row').open")).isEqualTo("true");
            assertThat(tab.see(text("#row-title"))).isEqualTo("bob");
            assertFine(tab);
        } finally {
            go.countDown();
        }
    }

    /** A row that is there twice is shown twice; an answer that has not come is no failure. */
    @Promise("54.12")
    @Test
    void equalRowsStayTwoAndALateAnswerIsNoFailure() throws Exception {
        var twice = new WorklistTest.Letter("ann", "the message");
        var rows = new CopyOnWriteArrayList<>(List.of(twice, twice));
        var list = Worklist.<WorklistTest.Letter>of("twice", (after, most) -> rows)
                .action("Drop", letter -> false);
        try (var inside = Inside.open(WorklistTest.options(list))) {
            var tab = open(inside, 1280, 800, "light");
            tab.until(keys(), "ann,ann");
            tab.see("void (window.fetch = (before => (url, options) => options.method === 'POST'"
                    + " ? Promise.resolve(new Response('not done', { status: 504 })) : before(url, options))(fetch))");
            rows.add(new WorklistTest.Letter("bob", "the message"));
            tab.see("document.querySelector('#worklists .acts button').click()");
            tab.see("document.querySelector('#row .actions button').click()");
            tab.until(text("#worklists .outcome.unknown"), "Drop ann: not done");
            tab.until(keys(), "ann,ann,bob");
            assertFine(tab);
        }
    }

    @Promise("54.12")
    @Test
    void aLongListIsTurnedAndHostileRowsAreTexts() throws Exception {
        var letters = new WorklistTest.Letters();
        for (int i = 0; i < 10_000; i++) {
            letters.put("order-%05d".formatted(i));
        }
        letters.put("a" + HOSTILE).put("b" + "x".repeat(3_000));
        try (var inside = Inside.open(WorklistTest.options(letters.list()))) {
            var tab = open(inside, 390, 844, "dark");
            tab.until("document.querySelectorAll('#worklists tbody tr').length", "25");
            assertThat(tab.see(text("#worklists tbody td button"))).isEqualTo("a" + HOSTILE);
            assertThat(tab.see(text("#worklists small span"))).isEqualTo("the first 25");
            assertFine(tab);
            click(tab, "a" + HOSTILE);
            assertThat(tab.see(text("#row-title"))).isEqualTo("a" + HOSTILE);
            assertThat(tab.see("document.querySelectorAll('img, body script').length")).isEqualTo("0");
            for (int width : new int[]{1280, 390}) {
                for (var colours : List.of("light", "dark")) {
                    tab.size(width, width == 390 ? 844 : 800, 1);
                    tab.prefer("prefers-color-scheme", colours);
                    tab.picture(PICTURES.resolve("row-" + width + "-" + colours + ".png"));
                }
            }
            click(tab, "Close");
            for (int width : new int[]{1280, 390}) {
                for (var colours : List.of("light", "dark")) {
                    tab.size(width, width == 390 ? 844 : 800, 1);
                    tab.prefer("prefers-color-scheme", colours);
                    tab.see("document.querySelector('#worklists').scrollIntoView()");
                    tab.picture(PICTURES.resolve("worklist-" + width + "-" + colours + ".png"));
                }
            }
            PageRules.look(tab, "inside-worklist");
            click(tab, "›");
            tab.until(text("#worklists small span"), "page 2");
            tab.until(keys() + ".startsWith('order-00023,')", "true");
            letters.byKey.headMap("order-00020", false).clear();
            letters.byKey.tailMap("order-00020", false).clear();
            tab.until("document.querySelector('#worklists small').textContent", "");
            tab.until(text("#worklists .empty"), "Nothing is in this list.");
            assertFine(tab);
        }
    }

    @Promise("54.1")
    @Test
    void thePageCanBeUsedByKeys() throws Exception {
        var dump = Dumps.of(Instant.now(),
                Dumps.scope("root", 0, 0, 0, Dumps.scope("a", 3, 0, 0), Dumps.scope("b", 0, 0, 0)));
        try (var inside = showing(options -> dump)) {
            var tab = open(inside, 1280, 900, "light");
            tab.until("document.querySelectorAll('#scopes tbody tr').length", "3");
            tab.press(TAB_KEY, 9);
            assertThat(tab.see("document.activeElement.id")).isEqualTo("pause");
            tab.press(TAB_KEY, 9);
            tab.press("Enter", 13);
            tab.until("document.querySelector('#dump').open", "true");
            tab.press("Escape", 27);
            tab.until("document.querySelector('#dump').open", "false");
            tab.press(TAB_KEY, 9);
            assertThat(tab.see("document.activeElement.className")).isEqualTo("fold");
            tab.press("Enter", 13);
            tab.until("document.querySelectorAll('#scopes tbody tr').length", "1");
            assertThat(tab.see("document.activeElement.getAttribute('aria-expanded')")).isEqualTo("false");
            tab.press("Enter", 13);
            tab.until("document.querySelectorAll('#scopes tbody tr').length", "3");
            assertFine(tab);
        }
    }

    @Promise({"54.2", "54.1"})
    @Test
    void aTokenIsTakenOutOfTheAddress() throws Exception {
        try (var inside = Inside.open(InsideOptions.localPort(0).token("a-token-of-this-test"))) {
            var tab = open(inside, 1280, 900, "light");
            assertThat(tab.see("location.href")).isEqualTo("http://127.0.0.1:" + inside.port() + "/");
            assertThat(tab.see("document.cookie")).isEmpty();
            assertFine(tab);
        }
    }

    @Promise("54.1")
    @Test
    void thePageSaysThatTheProgramIsGone() throws Exception {
        var inside = Inside.open(0);
        try {
            var tab = open(inside, 1280, 900, "light");
            inside.close();
            tab.until("document.querySelector('#state').dataset.state", "lost");
            assertThat(tab.see(text("#state span"))).isEqualTo("no connection, trying again");
        } finally {
            inside.close();
        }
    }

    /** Also makes the pictures of the README, light and dark, if the property {@code fibry.picture} names the file of the light one. */
    @Promise("54.1")
    @Test
    void thePageIsGoodToLookAt() throws Exception {
        var picture = System.getProperty("fibry.picture", "");
        var shop = new DemoShop();
        try (shop; var inside = Inside.open(0)) {
            var tab = open(inside, 1280, 900, "light");
            tab.until("document.querySelectorAll('#slow li').length > 3", "true");
            tab.until("document.querySelectorAll('#events li').length > 2", "true");
            if (!picture.isEmpty()) {
                tab.until("/over ([3-5][0-9]|1 min)/.test(" + text("#slow .each") + ")", "true");
                tab.until("/over 1 min/.test(" + text("#slow .each") + ")", "true");
                tab.picture(Path.of(picture));
                tab.prefer("prefers-color-scheme", "dark");
                tab.picture(Path.of(picture.replaceFirst("[.]png$", "-dark.png")));
            }
            PageRules.look(tab, "inside");
            for (var colours : List.of("light", "dark")) {
                tab.prefer("prefers-color-scheme", colours);
                for (int width : new int[]{1280, 800, 390}) {
                    tab.size(width, width == 390 ? 2_400 : 1_400, 1);
                    tab.picture(PICTURES.resolve("shop-" + colours + "-" + width + ".png"));
                    assertFine(tab);
                }
            }
        }
    }
}
