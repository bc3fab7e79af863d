package io.fibry.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RoundTripTest {
    record Line(String article, int pieces, BigDecimal price) {
    }

    enum Urgency {
        LOW, HIGH {
            @Override
            boolean hurries() {
                return true;
            }
        };

        boolean hurries() {
            return false;
        }
    }

    sealed interface Command permits Order, Change {
    }

    record Order(UUID id, Instant at, List<Line> lines, Optional<String> note,
            Urgency urgency) implements Command {
    }

    sealed interface Change extends Command permits Cancel, Hold, Step {
    }

    record Cancel(UUID id) implements Change {
    }

    enum Step implements Change {
        NEXT, BACK
    }

    record Hold(Command held, @Nullable Hold before) implements Change {
    }

    record Primitives(boolean a, byte b, short c, int d, long e, char f, float g, double h, Boolean i, Byte j,
            Short k, Integer l, Long m,
            Character n, Float o, Double p) {
    }

    record Times(Instant a, Duration b, Year c, LocalDate d, LocalTime e, LocalDateTime f, OffsetTime g,
            OffsetDateTime h, ZonedDateTime i,
            Period j, YearMonth k, MonthDay l, ZoneOffset m, ZoneId n, DayOfWeek o) {
    }

    record Page<T>(List<T> items, Map<String, T> byName, Optional<Page<T>> next) {
    }

    sealed interface Result<T> permits Good, Bad {
    }

    record Good<V>(V value) implements Result<V> {
    }

    record Bad<X>(String reason) implements Result<X> {
    }

    record Answers(Result<List<Line>> lines, Result<Urgency> urgency, Page<Line> page, Page<Long> numbers) {
    }

    record Keys(Map<String, Integer> a, Map<Integer, String> b, Map<Long, Urgency> c, Map<UUID, Line> d,
            Map<LocalDate, List<Line>> e,
            Map<Urgency, Set<String>> f) {
    }

    record Empty() {
    }

    private static final UUID ID = UUID.fromString("0f4b1f8e-6b43-4d6c-9c53-6f1fb5d9a111");
    private static final Line LINE = new Line("Schraube M4 ✓ 🔩", 12, new BigDecimal("12.30"));

    private static <T> T again(Class<T> root, T value) {
        var codec = Codec.of(root);
        return codec.decode(codec.encode(value), root);
    }

    @Promise("61.1")
    @Test
    void recordsEnumsAndSealedInterfacesOfSeveralLevels() {
        var order = new Order(ID, Instant.parse("2026-11-23T22:10:11.123456789Z"), List.of(LINE, LINE),
                Optional.of("soon"), Urgency.HIGH);
        for (var each : List.of(order, new Order(ID, Instant.MIN, List.of(), Optional.empty(), Urgency.LOW),
                new Cancel(ID), Step.BACK,
                new Hold(new Hold(order, null), new Hold(Step.NEXT, null)))) {
            assertThat(again(Command.class, each)).isEqualTo(each);
        }
        assertThat(Codec.of(Command.class).encode(order)).hasSizeLessThan(200);
        assertThat(again(Empty.class, new Empty())).isEqualTo(new Empty());
        assertThat(again(Urgency.class, Urgency.HIGH)).isSameAs(Urgency.HIGH);
    }

    @Promise("61.1")
    @Test
    void valuesAreReadAsAnyRootThatPermitsThem() {
        var codec = Codec.of(Command.class);
        var bytes = codec.encode(new Cancel(ID));
        assertThat(codec.decode(bytes, Command.class)).isEqualTo(new Cancel(ID));
        assertThat(codec.decode(bytes, Change.class)).isEqualTo(new Cancel(ID));
        assertThat(codec.decode(bytes, Cancel.class)).isEqualTo(new Cancel(ID));
        assertThatThrownBy(() -> codec.decode(bytes, Order.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining("\"Cancel\" is not known as Order");
        assertThat(codec.admits(Change.class)).isTrue();
        assertThat(codec.admits(Empty.class)).isFalse();
    }

    @Promise("61.1")
    @Test
    void valuesOfTheJdk() {
        for (var each : List.of(
                new Primitives(true, Byte.MIN_VALUE, Short.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE,
                        '\ud800', Float.MIN_VALUE,
                        Double.MIN_VALUE, false, (byte) -1, (short) -1, -1, -1L, 'ä', Float.NaN,
                        Double.NEGATIVE_INFINITY),
                new Primitives(true, Byte.MAX_VALUE, Short.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, '\0',
                        -0.0f, -0.0, false, (byte) 0,
                        (short) 0, 0, 0L, 'x', Float.MAX_VALUE, Double.MAX_VALUE))) {
            assertThat(again(Primitives.class, each)).isEqualTo(each);
        }
        var at = LocalDateTime.of(2026, 11, 23, 22, 0);
        var times = new Times(Instant.MAX, Duration.ofNanos(-1), Year.of(-44), LocalDate.MAX, LocalTime.MAX,
                at, OffsetTime.MIN,
                OffsetDateTime.MAX,
                ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Berlin"))
                        .withLaterOffsetAtOverlap(),
                Period.of(1, -2, 3), YearMonth.of(12345, 1), MonthDay.of(2, 29), ZoneOffset.ofHours(2),
                ZoneId.of("Asia/Tokyo"),
                DayOfWeek.MONDAY);
        assertThat(again(Times.class, times)).isEqualTo(times);
        for (Object each : List.of("", "a\0b", 1, 2L, true, 'c', 1.5f, 2.5, new BigDecimal("-1.200E-30"),
                new BigDecimal("1E+2147483647"),
                BigInteger.TWO.pow(3000).negate(), ID, Duration.ZERO, "x".repeat(70_000))) {
            check(each);
        }
        var codec = Codec.of(byte[].class, ZoneId.class, ZoneOffset.class, long.class);
        assertThat(codec.decode(codec.encode(new byte[]{1, 2}), byte[].class)).containsExactly(1, 2);
        assertThat(codec.decode(codec.encode(ZoneId.of("Asia/Tokyo")), ZoneId.class))
                .isEqualTo(ZoneId.of("Asia/Tokyo"));
        assertThat(codec.decode(codec.encode(ZoneOffset.UTC), ZoneOffset.class)).isEqualTo(ZoneOffset.UTC);
        assertThat((long) codec.decode(Codec.of(Long.class).encode(7L), long.class)).isEqualTo(7);
        assertThat((long) codec.decode(codec.encode(7L), long.class)).isEqualTo(7);
        assertThat(again(ZoneId.class, ZoneOffset.UTC)).isEqualTo(ZoneOffset.UTC);
    }

    @SuppressWarnings("unchecked")
    private static void check(Object value) {
        assertThat(again((Class<Object>) value.getClass(), value)).isEqualTo(value);
    }

    @Promise("61.1")
    @Test
    void typeParametersAreKnownFromWhereTheyAreUsed() {
        var answers = new Answers(new Good<>(List.of(LINE)), new Bad<>("late"),
                new Page<>(List.of(LINE), Map.of("x", LINE),
                        Optional.of(new Page<>(List.of(), Map.of(), Optional.empty()))),
                new Page<>(List.of(1L, Long.MAX_VALUE), Map.of(), Optional.empty()));
        assertThat(again(Answers.class, answers)).isEqualTo(answers);
    }

    @Promise("61.1")
    @Test
    void collectionsKeepTheirOrderAndAreImmutable() {
        var names = new LinkedHashMap<String, Integer>();
        var set = new LinkedHashSet<String>();
        IntStream.range(0, 100).map(i -> i * 7919 % 100).forEach(i -> {
            names.put("n" + i, i);
            set.add("s" + i);
        });
        var keys = new Keys(names, Map.of(-1, "x"), Map.of(Long.MIN_VALUE, Urgency.HIGH), Map.of(ID, LINE),
                Map.of(LocalDate.MIN, List.of(LINE)), Map.of(Urgency.HIGH, set));
        var read = again(Keys.class, keys);
        assertThat(read).isEqualTo(keys);
        assertThat(read.a().keySet()).containsExactlyElementsOf(names.keySet());
        assertThat(read.f().get(Urgency.HIGH)).containsExactlyElementsOf(set);
        assertThatThrownBy(() -> read.a().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> read.e().get(LocalDate.MIN).clear())
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> read.f().get(Urgency.HIGH).clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Promise("61.1")
    @Test
    void manyThreadsUseOneCodec() throws Exception {
        var codec = Codec.of(Command.class);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var tasks = IntStream.range(0, 200).<Callable<Boolean>>mapToObj(i -> () -> {
                var order = new Order(new UUID(i, i), Instant.ofEpochSecond(i),
                        List.of(new Line("a".repeat(i * 50), i, BigDecimal.valueOf(i))),
                        Optional.of("" + i), Urgency.LOW);
                for (int n = 0; n < 20; n++) {
                    if (!codec.decode(codec.encode(order), Command.class).equals(order)) {
                        return false;
                    }
                }
                return true;
            }).toList();
            for (var done : threads.invokeAll(tasks)) {
                assertThat(done.get()).isTrue();
            }
        }
    }

    @Promise("61.1")
    @Test
    void theNamesOfTypes() {
        assertThat(Codec.of(Command.class).typeNames()).containsExactly("Cancel", "Hold", "Line", "Order",
                "Step", "Urgency");
        assertThatThrownBy(() -> Codec.of(Command.class).typeNames().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    record Texts2(@Nullable String a, List<String> b, Optional<String> c, Map<String, String> d) {
    }

    @Promise("61.4")
    @Test
    void nullIsWrittenOnlyWhereItIsPermitted() {
        var codec = Codec.of(Texts2.class);
        assertThat(codec.decode(codec.encode(new Texts2(null, List.of(), Optional.empty(), Map.of())),
                Texts2.class))
                .isEqualTo(new Texts2(null, List.of(), Optional.empty(), Map.of()));
        refused(codec, new Texts2("", null, Optional.empty(), Map.of()),
                "Texts2.b: is null: annotate its type @Nullable, or use Optional");
        refused(codec, new Texts2("", List.of(), null, Map.of()), "Texts2.c: is null");
        refused(codec, new Texts2("", Arrays.asList("x", null), Optional.empty(), Map.of()),
                "Texts2.b[1]: is null; elements");
        var nulls = new LinkedHashMap<String, String>();
        nulls.put("k", null);
        refused(codec, new Texts2("", List.of(), Optional.empty(), nulls),
                "Texts2.d[\"k\"]: is null; values");
        var nullKey = new LinkedHashMap<String, String>();
        nullKey.put(null, "v");
        refused(codec, new Texts2("", List.of(), Optional.empty(), nullKey), "Texts2.d: has a null as a key");
        assertThatThrownBy(() -> codec.encode(null)).isInstanceOf(NullPointerException.class)
                .hasMessage("value");
        assertThatThrownBy(() -> codec.decode(null, Texts2.class)).isInstanceOf(NullPointerException.class)
                .hasMessage("bytes");
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    @Promise("61.4")
    @Test
    void valuesThatAreNotOfTheirTypeAreRefused() {
        var codec = Codec.of(Texts2.class);
        refused(codec, new Empty(),
                "Cannot write a value of " + Empty.class.getName() + ": it cannot be reached from the roots");
        refused(codec, new Texts2("", (List) List.of(1), Optional.empty(), Map.of()), "Texts2.b");
        refused(codec, new Texts2("", List.of(), Optional.empty(), (Map) Map.of(1, "")),
                "Texts2.d: has a key of java.lang.Integer");
        refused(codec, new Texts2("\ud800", List.of(), Optional.empty(), Map.of()), "Texts2");
        refused(Codec.of(BigInteger.class), BigInteger.TEN.pow(10_001), "more than 10000 digits");
        refused(Codec.of(BigDecimal.class), new BigDecimal(BigInteger.TEN.pow(10_001)),
                "more than 10000 digits");
    }

    private static void refused(Codec codec, Object value, String why) {
        assertThatThrownBy(() -> codec.encode(value)).isInstanceOf(CodecException.class)
                .hasMessageContaining(why);
    }

    record Throws(String name) {
        @Override
        public String name() {
            throw new IllegalStateException("no name today");
        }
    }

    @Promise("61.4")
    @Test
    void anAccessorThatThrowsIsNamed() {
        assertThatThrownBy(() -> Codec.of(Throws.class).encode(new Throws("x")))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("Throws.name: its accessor threw").hasRootCauseMessage("no name today");
    }

    record Chain(Optional<Chain> next) {
    }

    private static Chain chain(int length) {
        var chain = new Chain(Optional.empty());
        for (int i = 1; i < length; i++) {
            chain = new Chain(Optional.of(chain));
        }
        return chain;
    }

    @Promise("61.4")
    @Test
    void largeAndDeepValuesAreRefused() {
        var codec = Codec.of(CodecOptions.defaults().depth(10).largest(1000), Chain.class, String.class);
        assertThat(codec.decode(codec.encode(chain(10)), Chain.class)).isEqualTo(chain(10));
        refused(codec, chain(11), "more than 10 levels");
        var deep = Codec.of(CodecOptions.defaults().depth(512), Chain.class);
        assertThat(deep.decode(deep.encode(chain(512)), Chain.class)).isEqualTo(chain(512));
        assertThatThrownBy(() -> codec.decode(deep.encode(chain(11)), Chain.class))
                .isInstanceOf(CodecException.class)
                .hasMessageContaining("more than 10 levels");
        assertThat(codec.encode("x".repeat(997))).hasSize(1000);
        refused(codec, "x".repeat(998), "more than 1000 bytes");
        refused(codec, "x".repeat(1_000_000), "more than 1000 bytes");
        var large = Codec.of(CodecOptions.defaults().largest(Integer.MAX_VALUE), String.class)
                .encode("x".repeat(998));
        assertThatThrownBy(() -> codec.decode(large, String.class)).isInstanceOf(CodecException.class)
                .hasMessageContaining("1001 bytes");
    }

    @Promise("61.4")
    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> CodecOptions.defaults().depth(0))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1 to 512");
        assertThatThrownBy(() -> CodecOptions.defaults().depth(513))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CodecOptions.defaults().largest(0))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("it is 0");
    }
}
