package io.fibry.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.fibry.testing.Promise;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Bytes that are no values. */
class HostileBytesTest {
    enum Colour {
        RED, GREEN
    }

    sealed interface Part permits Leaf, Branch {
    }

    record Leaf(int number, long big, double part, Colour colour, byte[] raw, BigDecimal price,
            UUID id) implements Part {
    }

    record Branch(List<Part> parts, Map<Integer, String> names, Set<Long> marks, Optional<Instant> at,
            @Nullable Duration took, boolean on,
            LocalDate day) implements Part {
    }

    record Count(int number) {
    }

    record Named(String name) {
    }

    record Numbers(byte a, short b, char c, float f, boolean g) {
    }

    record Many(List<Integer> numbers, Set<Integer> set, Map<Integer, Integer> map) {
    }

    record Positive(int number) {
        Positive {
            if (number < 1) {
                throw new IllegalArgumentException("must be positive: " + number);
            }
        }
    }

    record Picky(String text) {
        Picky {
            throw new IllegalArgumentException("not " + text);
        }
    }

    record BigNumbers(List<BigInteger> all) {
    }

    record Texted(Map<String, Integer> map) {
    }

    record Nested(Optional<Nested> next, List<String> texts) {
    }

    record Point(int x, int y) {
    }

    record Points(Set<Point> all) {
    }

    record Clouds(Set<Set<Points>> all, Points more) {
    }

    /** The bytes of {@link Points}, whatever is in them. */
    @WireName("Points")
    record PointList(List<Point> all) {
        static PointList of(Points points) {
            return new PointList(List.copyOf(points.all()));
        }
    }

    record Chain(Set<Chain> next, Set<Long> numbers) {
    }

    @WireName("Chain")
    record ChainList(List<ChainList> next, List<Long> numbers) {
    }

    @WireName("Clouds")
    record CloudList(List<List<PointList>> all, PointList more) {
    }

    record Fails() {
        Fails {
            if (true) {
                throw new AssertionError("planned");
            }
        }
    }

    private static final Codec CODEC =
            Codec.of(Part.class, Count.class, Named.class, Numbers.class, Many.class, Positive.class);

    private static void refused(Class<?> root, byte[] bytes, String... why) {
        assertThatThrownBy(() -> CODEC.decode(bytes, root)).isInstanceOf(CodecException.class)
                .hasMessageStartingWith("Cannot read a " + root.getSimpleName())
                .satisfies(e -> assertThat(List.of(why))
                        .allSatisfy(part -> assertThat(e).hasMessageContaining(part)));
    }

    private static Part part() {
        var leaf = new Leaf(1, -2, 0.5, Colour.GREEN, new byte[]{1, 2, 3}, new BigDecimal("1.5"),
                new UUID(1, 2));
        return new Branch(
                List.of(leaf,
                        new Branch(List.of(), Map.of(1, "é🔩"), Set.of(7L), Optional.of(Instant.EPOCH), null,
                                true, LocalDate.MAX)),
                Map.of(3, "x"), Set.of(), Optional.empty(), Duration.ofSeconds(-1), false, LocalDate.EPOCH);
    }

    @Promise("61.4")
    @Test
    void bytesThatAreCutOffOrGoOn() {
        var bytes = CODEC.encode(part());
        for (int length = 0; length < bytes.length; length++) {
            refused(Part.class, Arrays.copyOf(bytes, length));
        }
        for (var more : List.of(new byte[]{0}, new byte[]{(byte) 0xff}, bytes, new byte[100])) {
            refused(Part.class, Tokens.concat(bytes, more));
        }
        refused(Count.class, Tokens.concat(CODEC.encode(new Count(1)), new byte[]{1}),
                "more bytes behind the value");
    }

    @Promise("61.4")
    @Test
    void bytesThatAreChangedAtRandomFailOrAreAnotherValue() {
        var bytes = CODEC.encode(part());
        var random = new Random(20261123);
        int read = 0;
        for (int i = 0; i < 10_000; i++) {
            var changed = bytes.clone();
            for (int n = random.nextInt(3); n >= 0; n--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            if (random.nextInt(4) == 0) {
                int at = random.nextInt(changed.length);
                changed = Tokens.concat(Arrays.copyOf(changed, at),
                        Arrays.copyOfRange(bytes, random.nextInt(bytes.length), bytes.length));
            }
            Part value;
            try {
                value = CODEC.decode(changed, Part.class);
            } catch (CodecException e) {
                continue;
            }
            read++;
            assertThatCode(() -> CODEC.encode(value)).doesNotThrowAnyException();
        }
        assertThat(read).isPositive();
    }

    @Promise("61.4")
    @Test
    void bytesAtRandom() {
        var random = new Random(42);
        for (int i = 0; i < 5_000; i++) {
            var bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            // Half of them look like a list of a name and a map.
            if (bytes.length > 8 && i % 2 == 0) {
                System.arraycopy(Tokens.hex("82 64 4c656166 a1"), 0, bytes, 0, 7);
            }
            assertThatThrownBy(() -> CODEC.decode(bytes, Part.class)).isInstanceOf(CodecException.class);
        }
    }

    @Promise("61.4")
    @Test
    void lengthsThatAreNotThere() {
        // 82 65 "Named" a1 64 "name", then texts, bytes and lists of 2^31 - 1, 2^32 - 1 and 2^63 - 1 elements.
        var head = "82 65 4e616d6564 a1 64 6e616d65";
        for (var kind : List.of("7", "5", "9", "b")) {
            for (var length : List.of("a 7fffffff", "a ffffffff", "b 7fffffffffffffff",
                    "b ffffffffffffffff")) {
                refused(Named.class, Tokens.hex(head + kind + length));
                refused(Named.class, Tokens.hex(head + kind + length + "61 62 63"));
            }
        }
        var many = "82 64 4d616e79 a1 67 6e756d62657273";
        refused(Many.class, Tokens.hex(many + "9a 7fffffff 01 02"));
        refused(Many.class, Tokens.hex("9b 7fffffffffffffff"));
        refused(Many.class, Tokens.hex("7b 7fffffffffffffff"));
    }

    @Promise("61.4")
    @Test
    void otherKindsOfValues() {
        refused(Count.class, Tokens.of("Count", Map.of("number", "1")),
                "Count.number: expected int, found a text");
        refused(Count.class, Tokens.of("Count", Map.of("number", 1.0)),
                "Count.number: expected int, found a floating-point number");
        refused(Count.class, Tokens.of("Count", Map.of("number", true)), "found a boolean");
        refused(Count.class, Tokens.of("Count", Map.of("number", List.of(1))), "found a list");
        refused(Count.class, Tokens.of("Count", Map.of("number", 1L << 31)),
                "Count.number: 2147483648 is no int: it is out of range");
        refused(Count.class, Tokens.of("Count", Map.of("number", new BigInteger("9".repeat(30)))),
                "more than 64 bits");
        refused(Count.class, Tokens.of("Count", List.of(1)),
                "Count: expected the components of Count, found a list");
        refused(Count.class, Tokens.of("Count", 1), "found an integer");
        refused(Count.class, Tokens.of(1, Map.of("number", 1)), "expected a type name, found an integer");
        refused(Count.class, Tokens.of("Count", Map.of("number", 1), 2), "expected the end of Count");
        refused(Count.class, Tokens.of(Map.of("number", 1)),
                "expected Count with its type name, found a record or map");
        refused(Named.class, Tokens.of("Named", Map.of("name", 7)),
                "Named.name: expected String, found an integer");
        refused(Named.class, Tokens.of("Named", Map.of("name", "x".getBytes(StandardCharsets.UTF_8))),
                "found bytes");
        for (var wrong : List.<Map<String, Object>>of(Map.of("a", 128), Map.of("b", 32768), Map.of("c", -1),
                Map.of("c", 65536),
                Map.of("f", 1), Map.of("f", 1e300), Map.of("g", 0))) {
            var all = new HashMap<String, Object>(Map.of("a", 0, "b", 0, "c", 0, "f", 0f, "g", true));
            all.putAll(wrong);
            refused(Numbers.class, Tokens.of("Numbers", all), "Numbers." + wrong.keySet().iterator().next());
        }
    }

    @Promise("61.4")
    @Test
    void whatIsThereTwiceOrUnknown() {
        // Twice the component "number".
        refused(Count.class, Tokens.hex("82 65 436f756e74 a2 66 6e756d626572 01 66 6e756d626572 02"),
                "Count.number: occurs twice");
        assertThat(CODEC.decode(
                Tokens.of("Many", Map.of("numbers", List.of(), "set", List.of(1, 2, 1), "map", Map.of())),
                Many.class).set()).containsExactly(1, 2);
        refused(Many.class, Tokens.hex("82 64 4d616e79 a1 63 6d6170 a2 61 31 01 61 31 02"),
                "Many.map[\"1\"]: the key occurs twice");
        refused(Many.class, Tokens.of("Many", Map.of("map", Map.of("01", 1))),
                "Many.map: the key \"01\" is no int as it is written");
        refused(Many.class, Tokens.of("Many", Map.of("map", Map.of("x", 1))), "the key \"x\" is no int");
        refused(Part.class, Tokens.of("Twig", Map.of()),
                "the type \"Twig\" is not known as Part; known are Branch, Leaf", "Upcaster");
        refused(Part.class, Tokens.of("Count", Map.of("number", 1)), "\"Count\" is not known as Part");
        refused(Part.class, Tokens.of("Leaf", Map.of("colour", "BLUE")), "Leaf.colour".substring(5),
                "no constant \"BLUE\"; it has GREEN, RED");
        refused(Part.class, Tokens.of("Leaf\n\u0007".repeat(50), Map.of()), "\"Leaf??Leaf");
    }

    @Promise("61.4")
    @Test
    void whatIsMissingOrNull() {
        refused(Count.class, Tokens.of("Count", Map.of()),
                "Count.number: is missing in the bytes of a Count");
        // {"number": null}, and the undefined value of CBOR.
        refused(Count.class, Tokens.hex("82 65 436f756e74 a1 66 6e756d626572 f6"),
                "Count.number: is null in the bytes");
        refused(Count.class, Tokens.hex("82 65 436f756e74 a1 66 6e756d626572 f7"), "Count.number");
        refused(Many.class, Tokens.of("Many", Map.of("numbers", Arrays.asList(1, null))),
                "Many.numbers[1]: expected int, found null");
        refused(Count.class, Tokens.hex("f6"), "found null");
        refused(Count.class, Tokens.hex("82 65 436f756e74 f6"), "found null");
        refused(Count.class, new byte[0], "found the end of the bytes");
    }

    @Promise("61.4")
    @Test
    void deepNestingIsRefusedAlsoWhereItIsSkipped() {
        Object nested = 1;
        for (int i = 0; i < 200; i++) {
            nested = List.of(nested);
        }
        refused(Count.class, Tokens.of("Count", Map.of("number", 1, "unknown", nested)));
        Object parts = Map.of();
        for (int i = 0; i < 70; i++) {
            parts = Map.of("parts", List.of(List.of("Branch", parts)));
        }
        refused(Part.class, Tokens.of("Branch", parts));
        // A hundred thousand open lists, and as many tags.
        var lists = new byte[100_000];
        Arrays.fill(lists, (byte) 0x81);
        refused(Part.class, lists);
        Arrays.fill(lists, (byte) 0x9f);
        refused(Part.class, lists);
        Arrays.fill(lists, (byte) 0xc1);
        refused(Part.class, lists);
        Arrays.fill(lists, (byte) 0xa1);
        refused(Part.class, lists);
    }

    @Promise("61.4")
    @Test
    void textsThatCouldNotBeWrittenAgain() {
        // Halves of surrogate pairs, as a text, as a key of a map.
        refused(Named.class, Tokens.hex("82 65 4e616d6564 a1 64 6e616d65 63 eda080"), "Named.name");
        assertThatThrownBy(() -> CODEC.encode(new Named("a\udc00b"))).isInstanceOf(CodecException.class)
                .hasMessageContaining("Named.name: has half of a surrogate pair");
        var texts = Codec.of(Texted.class);
        assertThatThrownBy(() -> texts.encode(new Texted(Map.of("a\ud800", 1))))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("Texted.map: has half of a surrogate pair");
        assertThatThrownBy(() -> texts.decode(Tokens.hex("82 66 546578746564 a1 63 6d6170 a1 63 eda080 01"),
                Texted.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining("Texted.map");
    }

    @Promise("61.4")
    @Test
    void numbersOfManyDigitsTakeNoTime() {
        assertThatThrownBy(
                () -> Codec.of(BigDecimal.class).decode(Tokens.of("9".repeat(900_000)), BigDecimal.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("more than 10000 digits");
        assertThatThrownBy(
                () -> Codec.of(BigDecimal.class).decode(Tokens.of("1e999999999999"), BigDecimal.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("is no BigDecimal");
        // It has 10,000 characters, and the text of its number has more.
        assertThatThrownBy(
                () -> Codec.of(BigDecimal.class).decode(Tokens.of("9".repeat(9_998) + "E5"),
                        BigDecimal.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("more than 10000 digits");
    }

    /** A number of few bytes may have millions of digits, and takes seconds as a double. */
    @Promise("61.4")
    @Test
    void decimalFractionsAreRefused() {
        for (var name : List.of("66", "78")) { // "f" is a float, and "x" is unknown
            refused(Numbers.class, Tokens.hex("82 67 4e756d62657273 a1 61" + name + "c4 82 20 0f"),
                    "decimal fractions are not read");
        }
        assertThatThrownBy(() -> Codec.of(Double.class).decode(Tokens.hex("c4 82 20 0f"), Double.class))
                .isInstanceOf(CodecException.class).hasMessageContaining("decimal fractions are not read");
    }

    /** What is in the log is then what the program says. */
    @Promise("61.4")
    @Test
    void textsFromOutsideBeginNoLineInMessages() {
        var forged = "a\r\n\u0085\u009b\u2028\u2029\u202e\u2066b" + "c".repeat(20_000);
        // 82 65 "Count" a1, a name, and what begins no value.
        var count = Tokens.hex("82 65 436f756e74 a1");
        plain(Count.class, Tokens.concat(Tokens.concat(count, Tokens.of(forged)), Tokens.hex("1c")));
        var twice = Tokens.concat(Tokens.of(forged), Tokens.hex("01"));
        var upcast =
                Codec.of(CodecOptions.defaults().upcaster(Upcaster.of("Count", old -> old)), Count.class);
        plain(upcast, Count.class,
                Tokens.concat(Tokens.hex("82 65 436f756e74 a2"), Tokens.concat(twice, twice)));
        plain(Many.class, Tokens.of("Many", Map.of("map", Map.of(forged, 1))));
        plain(Part.class, Tokens.of("Branch", Map.of("day", forged)));
        plain(Part.class, Tokens.of(forged, Map.of()));
        plain(Codec.of(BigDecimal.class), BigDecimal.class, Tokens.of(forged.substring(0, 100)));
        assertThatThrownBy(
                () -> Codec.of(Picky.class).decode(Tokens.of("Picky", Map.of("text", forged)), Picky.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("IllegalArgumentException: not a????????b")
                .hasMessageNotContaining("c".repeat(15_000));
    }

    private static void plain(Class<?> root, byte[] bytes) {
        plain(CODEC, root, bytes);
    }

    private static void plain(Codec codec, Class<?> root, byte[] bytes) {
        assertThatThrownBy(() -> codec.decode(bytes, root)).isInstanceOf(CodecException.class).hasNoCause()
                .hasMessageContaining("a????????b").hasMessageNotContaining("c".repeat(15_000));
    }

    @Promise("61.4")
    @Test
    void textsThatAreOutOfRange() {
        for (var text : List.of("P999999999W", "P99999999999D", "P-999999999Y999999999999M", "weekly")) {
            assertThatThrownBy(() -> Codec.of(Period.class).decode(Tokens.of(text), Period.class))
                    .isInstanceOf(CodecException.class).hasMessageContaining('"' + text + "\" is no Period");
        }
    }

    /** A number of ten thousand digits takes long to read, and one that three bytes refer to would as well. */
    @Promise("61.4")
    @Test
    void referencesToTextsAreRefused() {
        // 82 6a "BigNumbers" a1 63 "all", a list with the tag 256, a text, and references to it by the tag 25.
        var list = Tokens.hex("82 6a 4269674e756d62657273 a1 63 616c6c d90100 83 79 0400");
        var bytes = Tokens.concat(Tokens.concat(list, "9".repeat(1024).getBytes(StandardCharsets.UTF_8)),
                Tokens.hex("d81900 d81900"));
        for (var options : List.of(CodecOptions.defaults(),
                CodecOptions.defaults().upcaster(Upcaster.of("BigNumbers", old -> old)))) {
            assertThatThrownBy(() -> Codec.of(options, BigNumbers.class).decode(bytes, BigNumbers.class))
                    .isInstanceOf(CodecException.class)
                    .hasMessageContaining("references to texts are not read");
        }
    }

    /** Four bytes are a number of a thousand bytes then, also where nobody asks for it. */
    @Promise("61.4")
    @Test
    void referencesBelowUnknownComponentsAreRefused() {
        var referred = Tokens.concat(Tokens.concat(Tokens.hex("83 59 0400"), new byte[1024]),
                Tokens.hex("c2d81900 c2d81900"));
        // 82 65 "Count" a2 66 "number" 01 61 "x", and in a list or a map a list that has the tag 256.
        for (var list : List.of("81 d90100", "a1 61 61 d90100")) {
            var bytes = Tokens.concat(Tokens.hex("82 65 436f756e74 a2 66 6e756d626572 01 61 78" + list),
                    referred);
            for (var options : List.of(CodecOptions.defaults(),
                    CodecOptions.defaults().upcaster(Upcaster.of("Count", old -> old)))) {
                assertThatThrownBy(() -> Codec.of(options, Count.class).decode(bytes, Count.class)).as(list)
                        .isInstanceOf(CodecException.class)
                        .hasMessageContaining("references to texts are not read");
            }
        }
    }

    /** Keys are names in CBOR, as those of components are. A text that was kept would be found again. */
    @Promise("61.4")
    @Test
    void namesAreNotKept() {
        var texts = Codec.of(Texted.class);
        for (var name : List.of("key", "a longer key", "k".repeat(1000))) {
            var bytes = Tokens.of("Texted", Map.of("map", Map.of(name, 1)));
            var key = texts.decode(bytes, Texted.class).map().keySet().iterator().next();
            assertThat(key).isEqualTo(name)
                    .isNotSameAs(texts.decode(bytes, Texted.class).map().keySet().iterator().next());
        }
    }

    /** A tree that each level makes anew would take sixty times as much. */
    @Promise("61.4")
    @Test
    void upcastersOfWhatIsDeepTakeNoMoreMemory() {
        var codec =
                Codec.of(CodecOptions.defaults().upcaster(Upcaster.of("Nested", old -> old)), Nested.class);
        var texts = Collections.nCopies(20_000, "text");
        var deep = new Nested(Optional.empty(), texts);
        for (int i = 0; i < 60; i++) {
            deep = new Nested(Optional.of(deep), List.of());
        }
        assertThat(allocated(codec, deep))
                .isLessThan(3 * allocated(codec, new Nested(Optional.empty(), texts)));
    }

    private static long allocated(Codec codec, Nested value) {
        var bytes = codec.encode(value);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThat(codec.decode(bytes, Nested.class).texts()).hasSameSizeAs(value.texts());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    /** Sets of them would take quadratic time, and what the program does with them too. */
    @Promise("61.4")
    @Test
    void setsOfElementsWithOneHashCode() {
        var codec = Codec.of(Points.class, Clouds.class);
        assertThat(codec.decode(codec.encode(points(0, 1_000)), Points.class)).isEqualTo(points(0, 1_000));
        var many = points(0, 10_000);
        var bytes = Codec.of(PointList.class).encode(PointList.of(many));
        assertThatThrownBy(() -> codec.decode(bytes, Points.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining("Points.all: more than 1000 elements of a set have the same hash code");
        assertThatThrownBy(() -> codec.encode(many)).isInstanceOf(CodecException.class)
                .hasMessageContaining("Points.all: more than 1000 elements of a set have the same hash code");
        // Within one another: two sets of 490 points, three of them, and then many sets of one point.
        assertThat(codec.decode(codec.encode(clouds(2, 490)), Clouds.class)).isEqualTo(clouds(2, 490));
        var three = Codec.of(CloudList.class).encode(new CloudList(
                clouds(3, 490).all().stream().map(each -> each.stream().map(PointList::of).toList()).toList(),
                PointList.of(points(0, 1))));
        assertThatThrownBy(() -> codec.decode(three, Clouds.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining(
                        "Clouds.all: more than 2 elements of a set have the same hash code, and sets within them");
        assertThatThrownBy(() -> codec.encode(clouds(3, 490))).isInstanceOf(CodecException.class)
                .hasMessageContaining(
                        "Clouds.all: more than 2 elements of a set have the same hash code, and sets within them");
        var both = new Clouds(Set.of(Set.of(points(0, 500))), points(0, 1_000));
        assertThat(codec.decode(codec.encode(both), Clouds.class)).isEqualTo(both);
    }

    /** To compare two of them takes the hash code of the rest at each level. */
    @Promise("61.4")
    @Test
    void setsOfChainsOfSetsWithOneHashCode() {
        var options = CodecOptions.defaults().depth(100);
        var codec = Codec.of(options, Chain.class);
        assertThat(codec.decode(codec.encode(chains(20)), Chain.class)).isEqualTo(chains(20));
        var bytes = Codec.of(options, ChainList.class).encode(list(chains(40)));
        var why = "Chain.next: more than 31 elements of a set have the same hash code, and sets within them";
        assertThatThrownBy(() -> codec.decode(bytes, Chain.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining(why);
        assertThatThrownBy(() -> codec.encode(chains(40))).isInstanceOf(CodecException.class)
                .hasMessageContaining(why);
    }

    private static Chain chains(int many) {
        var all = new LinkedHashSet<Chain>();
        for (long i = 0; i < many; i++) {
            var chain = new Chain(Set.of(), Set.of(i, 1_000 - i));
            for (int level = 0; level < 30; level++) {
                chain = new Chain(Set.of(chain), Set.of());
            }
            all.add(chain);
        }
        return new Chain(all, Set.of());
    }

    private static ChainList list(Chain chain) {
        return new ChainList(chain.next().stream().map(HostileBytesTest::list).toList(),
                List.copyOf(chain.numbers()));
    }

    private static Points points(int from, int many) {
        var all = new LinkedHashSet<Point>();
        for (int i = from; i < from + many; i++) {
            all.add(new Point(i, -31 * i));
        }
        return new Points(all);
    }

    private static Clouds clouds(int many, int points) {
        var all = new LinkedHashSet<Set<Points>>();
        for (int i = 0; i < many; i++) {
            all.add(Set.of(points(i * points, points)));
        }
        return new Clouds(all, points(0, 1));
    }

    @Promise("61.1")
    @Test
    void constructorsThatRefuse() {
        assertThatThrownBy(() -> CODEC.decode(Tokens.of("Positive", Map.of("number", 0)), Positive.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining(
                        "the constructor of Positive refuses the components: java.lang.IllegalArgumentException: must be positive: 0")
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThat(CODEC.decode(Tokens.of("Positive", Map.of("number", 1)), Positive.class))
                .isEqualTo(new Positive(1));
        assertThatThrownBy(() -> Codec.of(Fails.class).decode(Tokens.of("Fails", Map.of()), Fails.class))
                .isInstanceOf(AssertionError.class)
                .hasMessage("planned");
    }

    @Promise("61.4")
    @Test
    void unknownComponentsAreSkippedWhateverTheyAre() {
        var others = new ArrayList<Object>(
                List.of(1, "x", 1.5, true, List.of(1, List.of()), Map.of("a", Map.of()), new byte[3]));
        others.add(null);
        for (var other : others) {
            var map = new HashMap<String, Object>(Map.of("number", 5));
            map.put("@class", other);
            assertThat(CODEC.decode(Tokens.of("Count", map), Count.class)).isEqualTo(new Count(5));
        }
    }
}
