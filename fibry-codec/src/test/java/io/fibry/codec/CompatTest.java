package io.fibry.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Types that change. */
class CompatTest {
    @TempDir
    private Path folder;

    @AfterEach
    void forget() {
        System.clearProperty("fibry.compat");
    }

    interface First {
        sealed interface Event permits Opened, Closed {
        }

        record Opened(String owner, int limit, Level level) implements Event {
        }

        record Closed(String why) implements Event {
        }

        enum Level {
            LOW, HIGH
        }
    }

    /** Permitted changes: components added, removed, optional; a type and a constant added; renames that keep names. */
    interface Second {
        sealed interface Event permits Opened, Ended, Renamed {
        }

        record Opened(@WireName("owner") String holder, Optional<Integer> limit, Level level,
                @Nullable String note, Optional<String> tag)
                implements
                    Event {
        }

        @WireName("Closed")
        record Ended() implements Event {
        }

        record Renamed(String name) implements Event {
        }

        enum Level {
            NONE, @WireName("LOW")
            SMALL, HIGH
        }
    }

    @Promise("61.8")
    @Test
    void permittedChangesAreRead() {
        var old = Codec.of(First.Event.class);
        var now = Codec.of(Second.Event.class);
        assertThat(now.decode(old.encode(new First.Opened("Ada", 5, First.Level.LOW)), Second.Event.class))
                .isEqualTo(
                        new Second.Opened("Ada", Optional.of(5), Second.Level.SMALL, null, Optional.empty()));
        assertThat(now.decode(old.encode(new First.Closed("done")), Second.Event.class))
                .isEqualTo(new Second.Ended());
        // Backwards, as in a rolling update.
        assertThat(old.decode(
                now.encode(
                        new Second.Opened("Ada", Optional.of(5), Second.Level.HIGH, "n", Optional.of("t"))),
                First.Event.class))
                .isEqualTo(new First.Opened("Ada", 5, First.Level.HIGH));
        assertThatThrownBy(() -> old.decode(now.encode(new Second.Renamed("x")), First.Event.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("\"Renamed\" is not known as Event");
    }

    @Promise("61.8")
    @Test
    void theGoldenFileTakesPermittedChangesWhenAsked() throws Exception {
        var golden = folder.resolve("sub/events.golden");
        var old = Codec.of(First.Event.class);
        assertThatThrownBy(() -> Compat.check(golden, old)).isInstanceOf(CodecException.class)
                .hasMessageContaining("There is no golden file")
                .hasMessageContaining("-Dfibry.compat=write");
        assertThat(golden).doesNotExist();
        System.setProperty("fibry.compat", "write");
        Compat.check(golden, old);
        System.clearProperty("fibry.compat");
        assertThat(Files.readString(golden)).contains(
                "record Opened\n    level: Level\n    limit: int\n    owner: String\n",
                "enum Level: HIGH LOW\n",
                "sealed Event: Closed Opened\n");
        Compat.check(golden, old);

        var now = Codec.of(Second.Event.class);
        var before = Files.readString(golden);
        assertThatThrownBy(() -> Compat.check(golden, now)).isInstanceOf(CodecException.class)
                .hasMessageContaining("not yet in the golden file");
        assertThat(golden).hasContent(before);
        System.setProperty("fibry.compat", "write");
        Compat.check(golden, now);
        System.clearProperty("fibry.compat");
        Compat.check(golden, now);
        // Removed, and still in old bytes.
        assertThat(Files.readString(golden)).contains("record Closed\n    why: String?\n",
                "    limit: int?\n",
                "    note: String?\n", "record Renamed\n");
        fails(golden, old, "sealed Event: Renamed is gone",
                "record Opened, component limit: its type was int? and is int; old bytes may be without it",
                "enum Level: NONE is gone");
    }

    private static void fails(Path golden, Codec codec, String... why) {
        assertThatThrownBy(() -> Compat.check(golden, codec)).isInstanceOf(CodecException.class)
                .hasMessageStartingWith("What earlier releases wrote can no longer be read")
                .hasMessageContainingAll(why)
                .hasMessageContaining(golden.toString());
    }

    interface Third {
        sealed interface Event permits Opened, Other {
        }

        record Opened(String owner, long limit, Level level, String required) implements Event {
        }

        record Other(List<String> all) implements Event {
        }

        enum Level {
            HIGH
        }
    }

    private Path written(Codec codec) {
        var golden = folder.resolve("golden");
        System.setProperty("fibry.compat", "write");
        Compat.check(golden, codec);
        return golden;
    }

    @Promise("61.8")
    @Test
    void otherChangesFailAlsoWhenAskedToWrite() throws Exception {
        var golden = written(Codec.of(First.Event.class));
        var before = Files.readString(golden);
        fails(golden, Codec.of(Third.Event.class),
                "record Opened, component limit: its type was int and is long",
                "record Opened, component required: it is new, and old bytes are without it: make it Optional",
                "record Closed is gone",
                "sealed Event: Closed is gone", "enum Level: LOW is gone");
        assertThat(golden).hasContent(before);
    }

    interface Then {
        sealed interface Sale permits Bought, Bill {
        }

        record Bought(int euros) implements Sale {
        }

        record Bill(List<Item> items) implements Sale {
        }

        record Item(String name) {
        }
    }

    interface Today {
        sealed interface Sale permits Paid, Bill {
        }

        record Paid(long cents, Optional<String> by) implements Sale {
        }

        record Bill(List<Item> items) implements Sale {
        }

        record Item(String article, int pieces) {
        }
    }

    private static ObjectNode item(ObjectNode old) {
        if (old.has("name")) {
            old.set("article", old.remove("name"));
            old.put("pieces", 1);
        }
        return old;
    }

    private static final CodecOptions UPCAST = CodecOptions.defaults()
            .upcaster(Upcaster.of("Bought", "Paid", old -> old.put("cents", 100L * old.get("euros").asInt())))
            .upcaster(Upcaster.of("Item", CompatTest::item));

    @Promise("61.8")
    @Test
    void upcastersReadTheRest() {
        var old = Codec.of(Then.Sale.class);
        var now = Codec.of(UPCAST, Today.Sale.class);
        assertThat(now.decode(old.encode(new Then.Bought(3)), Today.Sale.class))
                .isEqualTo(new Today.Paid(300, Optional.empty()));
        assertThat(now.decode(old.encode(new Then.Bill(List.of(new Then.Item("tea"), new Then.Item("milk")))),
                Today.Sale.class))
                .isEqualTo(new Today.Bill(List.of(new Today.Item("tea", 1), new Today.Item("milk", 1))));
        for (var sale : List.of(new Today.Paid(5, Optional.of("card")),
                new Today.Bill(List.of(new Today.Item("tea", 7))))) {
            assertThat(now.decode(now.encode(sale), Today.Sale.class)).isEqualTo(sale);
        }
    }

    @Promise("61.8")
    @Test
    void whatUpcastersReturnIsChecked() {
        var bytes = Codec.of(Then.Sale.class).encode(new Then.Bought(3));
        refused(bytes, Upcaster.of("Bought", "Paid", old -> old.put("cents", "many")),
                "cents: expected long, found a text");
        refused(bytes, Upcaster.of("Bought", "Paid", old -> old), "Sale.cents: is missing");
        refused(bytes, Upcaster.of("Bought", "java.lang.Thread", old -> old),
                "\"java.lang.Thread\" is not known as Sale");
        refused(bytes, Upcaster.of("Bought", "Paid", old -> {
            throw new IllegalStateException("planned");
        }), "the upcaster of Bought threw java.lang.IllegalStateException: planned");
        var circle = CodecOptions.defaults().upcaster(Upcaster.of("Bought", "B", old -> old))
                .upcaster(Upcaster.of("B", "Bought", old -> old));
        assertThatThrownBy(() -> Codec.of(circle, Today.Sale.class).decode(bytes, Today.Sale.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("\"Bought\" is not known");
        assertThatThrownBy(() -> Codec.of(UPCAST.upcaster(Upcaster.of("Item", old -> old)), Today.Sale.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("Two upcasters for the type name Item");
    }

    private static void refused(byte[] bytes, Upcaster upcaster, String why) {
        assertThatThrownBy(() -> Codec.of(CodecOptions.defaults().upcaster(upcaster), Today.Sale.class)
                .decode(bytes, Today.Sale.class))
                .isInstanceOf(CodecException.class).hasMessageContaining(why);
    }

    @Promise("61.8")
    @Test
    void upcastersAreChangesThatCanBeRead() throws Exception {
        var golden = written(Codec.of(Then.Sale.class));
        fails(golden, Codec.of(Today.Sale.class), "record Bought is gone",
                "record Item, component article: it is new");
        Compat.check(golden, Codec.of(UPCAST, Today.Sale.class));
        assertThat(Files.readString(golden)).contains("upcast Bought: Paid\n", "record Bought\n",
                "record Paid\n", "sealed Sale: Bill Bought Paid\n");
        System.clearProperty("fibry.compat");
        Compat.check(golden, Codec.of(UPCAST, Today.Sale.class));
    }

    @Promise("61.8")
    @Test
    void anUpcasterIsStillNeededWhenItsChangeIsInTheFile() {
        var golden = written(Codec.of(Then.Sale.class));
        Compat.check(golden, Codec.of(UPCAST, Today.Sale.class));
        fails(golden, upcast(Upcaster.of("Bought", "Paid", old -> old), Today.Sale.class),
                "upcast Item is gone");
    }

    record Drawer(Bought last) {
    }

    record Bought(int euros) implements Trade {
    }

    sealed interface Trade permits Bought {
    }

    @Promise("61.8")
    @Test
    void bytesOfARootAreReadAsARootOfToday() throws Exception {
        var golden = written(Codec.of(Then.Bought.class, Long.class));
        assertThat(Files.readString(golden))
                .contains("record Bought\n    euros: int\nroot Bought\nroot long\n");
        fails(golden, Codec.of(Drawer.class, String.class), "root Bought is gone", "root long is gone");
        // A sealed interface permits it today.
        Compat.check(golden, Codec.of(Trade.class, Long.class));
        assertThat(Codec.of(Trade.class).decode(Codec.of(Then.Bought.class).encode(new Then.Bought(3)),
                Trade.class))
                .isEqualTo(new Bought(3));
        fails(golden, Codec.of(Drawer.class, Trade.class), "root long is gone");
        fails(golden, Codec.of(Drawer.class, Long.class), "sealed Trade is gone", "root Bought is gone",
                "root Trade is gone");
    }

    @Promise("61.8")
    @Test
    void anUpcasterMakesARootAnotherOne() {
        var golden = written(Codec.of(Then.Bought.class));
        fails(golden, Codec.of(UPCAST, Today.Bill.class), "root Bought is gone");
        var now = Codec.of(UPCAST, Today.Paid.class);
        Compat.check(golden, now);
        assertThat(now.decode(Codec.of(Then.Bought.class).encode(new Then.Bought(3)), Today.Paid.class))
                .isEqualTo(new Today.Paid(300, Optional.empty()));
    }

    @Promise("61.8")
    @Test
    void aFileWithoutRootsIsCheckedAsBeforeAndTakesThemWhenAsked() throws Exception {
        var now = Codec.of(Bought.class);
        var golden = Files.writeString(folder.resolve("golden"), "record Bought\n    euros: int\n");
        Compat.check(golden, now);
        assertThatThrownBy(() -> Compat.check(golden, Codec.of(Drawer.class)))
                .hasMessageContaining("not yet in the golden file");
        written(now);
        assertThat(golden).content().endsWith("root Bought\n");
        System.clearProperty("fibry.compat");
        fails(golden, Codec.of(Drawer.class), "root Bought is gone");
    }

    interface Later {
        record Item(String article, String pieces) {
        }
    }

    @Promise("61.8")
    @Test
    void anUpcasterOfAnEarlierChangeDoesNotPermitAnother() throws Exception {
        var golden = written(Codec.of(Then.Item.class));
        var upcaster = Upcaster.of("Item", CompatTest::item);
        Compat.check(golden, upcast(upcaster, Today.Item.class));
        var later = upcast(upcaster, Later.Item.class);
        fails(golden, later, "record Item, component pieces: its type was int and is String",
                "delete the line \"upcast Item: ...\"");
        Files.writeString(golden, Files.readString(golden).replace("upcast Item: Item\n", ""));
        Compat.check(golden, later);
        System.clearProperty("fibry.compat");
        Compat.check(golden, later);
        assertThat(golden).content().contains("    pieces: String\n", "upcast Item: Item\n");
    }

    record Wares(List<Price> all) {
    }

    record Price(int amount) {
    }

    interface Renamed {
        record Wares(List<Money> all) {
        }

        record Money(long amount) {
        }
    }

    interface Kept {
        record Wares(List<Money> all) {
        }

        @WireName("Price")
        record Money(long amount) {
        }
    }

    /** Its name is not in the bytes, so that no upcaster of the old name is called. */
    @Promise("61.8")
    @Test
    void aRecordThatIsOnlyAComponentKeepsItsNameForItsUpcaster() {
        var golden = written(Codec.of(Wares.class));
        fails(golden, upcast(Upcaster.of("Price", "Money", CompatTest::cents), Renamed.Wares.class),
                "record Wares, component all: its type was List<Price> and is List<Money>",
                "keep that of its type by @WireName");
        var kept = upcast(Upcaster.of("Price", CompatTest::cents), Kept.Wares.class);
        Compat.check(golden, kept);
        assertThat(
                kept.decode(Codec.of(Wares.class).encode(new Wares(List.of(new Price(7)))), Kept.Wares.class))
                .isEqualTo(new Kept.Wares(List.of(new Kept.Money(700))));
    }

    private static ObjectNode cents(ObjectNode old) {
        return old.put("amount", 100L * old.get("amount").asInt());
    }

    record Owner(String name, Item home, Item work) {
    }

    record Item(String name, int price) {
    }

    /** The tree of a component lies in that of its record, and is not the other one's. */
    @Promise("61.8")
    @Test
    void upcastersOfComponentsThatAnUpcasterHasMade() {
        var options = CodecOptions.defaults()
                .upcaster(Upcaster.of("Owner", old -> old.set("work", old.get("home"))))
                .upcaster(Upcaster.of("Item", old -> old.put("price", 100 * old.get("price").asInt())));
        var bytes = Tokens.of("Owner", Map.of("name", "Ada", "home", Map.of("name", "tea", "price", 3)));
        assertThat(Codec.of(options, Owner.class).decode(bytes, Owner.class))
                .isEqualTo(new Owner("Ada", new Item("tea", 300), new Item("tea", 300)));
    }

    @Promise("61.8")
    @Test
    void upcastersToWhatIsNoRecordCannotRead() {
        var golden = written(Codec.of(First.Event.class));
        fails(golden, upcast(Upcaster.of("Closed", "Ended", old -> old), First.Event.class),
                "record Closed: its Upcaster makes it Ended, which is no record of today",
                "sealed Event: Closed is gone");
        fails(golden, upcast(Upcaster.of("Level", old -> old), First.Event.class),
                "enum Level: its Upcaster makes it Level, which is no record of today");
        // A record of today, which is not permitted where the old one was.
        fails(golden, upcast(Upcaster.of("Closed", "Basket", old -> old), First.Event.class, Basket.class),
                "sealed Event: Closed is gone");
    }

    private static Codec upcast(Upcaster upcaster, Class<?>... roots) {
        return Codec.of(CodecOptions.defaults().upcaster(upcaster), roots);
    }

    interface Widened {
        record Pair<T>(T first, long count) {
        }

        record Basket(Pair<String> pair) {
        }
    }

    record Pair<T>(T first, int count) {
    }

    record Basket(Pair<String> pair) {
    }

    @Promise("61.8")
    @Test
    void anUpcasterReadsAlsoARecordWithTypeParameters() {
        var golden = written(Codec.of(Basket.class));
        fails(golden, Codec.of(Widened.Basket.class), "record Pair<String>, component count");
        var upcast = Codec.of(CodecOptions.defaults().upcaster(Upcaster.of("Pair", old -> old)),
                Widened.Basket.class);
        assertThat(upcast.decode(Codec.of(Basket.class).encode(new Basket(new Pair<>("a", 1))),
                Widened.Basket.class)).isEqualTo(new Widened.Basket(new Widened.Pair<>("a", 1)));
        Compat.check(golden, upcast);
    }

    record Tags(Set<Tag> all) {
    }

    record Tag(String name, int number) {
    }

    interface Fewer {
        record Tags(Set<Tag> all) {
        }

        record Tag(String name) {
        }
    }

    /** More of them than a set may have of one hash code. */
    @Promise("61.8")
    @Test
    void elementsThatDifferedInARemovedComponentBecomeOne() {
        var all = new LinkedHashSet<>(List.of(new Tag("b", 0)));
        for (int i = 0; i < 2_000; i++) {
            all.add(new Tag("a", i));
        }
        var now = Codec.of(Fewer.Tags.class);
        Compat.check(written(Codec.of(Tags.class)), now);
        assertThat(now.decode(Codec.of(Tags.class).encode(new Tags(all)), Fewer.Tags.class).all())
                .containsExactly(new Fewer.Tag("b"), new Fewer.Tag("a"));
    }

    /** Such a set tells equal elements apart. */
    @Promise("61.1")
    @Test
    void aSetByIdentityIsReadWithOneOfEqualElements() {
        var all = Collections.<Tag>newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 2_000; i++) {
            all.add(new Tag("a", 1));
        }
        var codec = Codec.of(Tags.class);
        assertThat(codec.decode(codec.encode(new Tags(all)), Tags.class))
                .isEqualTo(new Tags(Set.of(new Tag("a", 1))));
    }

    interface Shorter {
        record Closed() {
        }
    }

    @Promise("61.8")
    @Test
    void aComponentThatWasRemovedDoesNotComeBackAsOneThatMustBeThere() {
        var longer = Codec.of(First.Closed.class);
        var shorter = Codec.of(Shorter.Closed.class);
        var golden = written(longer);
        Compat.check(golden, shorter);
        assertThatThrownBy(() -> longer.decode(shorter.encode(new Shorter.Closed()), First.Closed.class))
                .isInstanceOf(CodecException.class);
        fails(golden, longer,
                "record Closed, component why: its type was String? and is String; old bytes may be without it");
    }

    @Promise("61.8")
    @Test
    void aBrokenFileIsNamed() throws Exception {
        var golden = Files.writeString(folder.resolve("golden"), "<<<<<<< mine\n");
        assertThatThrownBy(() -> Compat.check(golden, Codec.of(First.Event.class)))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("<<<<<<< mine");
        assertThat(Compat.describe(Codec.of(First.Event.class))).startsWith("#")
                .contains("record Closed\n    why: String\n");
    }
}
