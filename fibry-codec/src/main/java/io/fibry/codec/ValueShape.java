package io.fibry.codec;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
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
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;

/** A value of the JDK. */
record ValueShape(String label, BiConsumer<JsonGenerator, Object> writer,
        Function<CborInput, Object> reader) implements Shape {
    /** Stands where a shape is about to be made. */
    static final ValueShape PENDING = new ValueShape("pending", (out, value) -> {}, in -> in);

    /** Java's time to read a number grows with the square of its digits. */
    private static final int MOST_DIGITS = 10_000;
    private static final Map<Class<?>, ValueShape> ALL = all();
    /** The names of these types in golden files, and of those that have elements. */
    static final Set<String> LABELS =
            Stream.concat(ALL.values().stream().map(ValueShape::label), Stream.of("List", "Set", "Map"))
                    .collect(Collectors.toUnmodifiableSet());

    /** The shape of a class of the JDK, or null if it is none that can be written. */
    static @Nullable ValueShape of(Class<?> type) {
        return ALL.get(type);
    }

    @Override
    public void write(CborOutput out, Object value) {
        writer.accept(out.tokens, value);
    }

    @Override
    public Object read(CborInput in) {
        return reader.apply(in);
    }

    private static Map<Class<?>, ValueShape> all() {
        var all = new HashMap<Class<?>, ValueShape>();
        add(all, "String", String.class, (out, value) -> out.writeString(Texts.wellFormed(value)),
                in -> text(in, "String"));
        both(all, "boolean", boolean.class, Boolean.class, JsonGenerator::writeBoolean,
                ValueShape::readBoolean);
        both(all, "byte", byte.class, Byte.class, (out, value) -> out.writeNumber((int) value),
                in -> (byte) in.integer(Byte.MIN_VALUE, Byte.MAX_VALUE, "byte"));
        both(all, "short", short.class, Short.class, (out, value) -> out.writeNumber((int) value),
                in -> (short) in.integer(Short.MIN_VALUE, Short.MAX_VALUE, "short"));
        both(all, "int", int.class, Integer.class, JsonGenerator::writeNumber,
                in -> (int) in.integer(Integer.MIN_VALUE, Integer.MAX_VALUE, "int"));
        both(all, "long", long.class, Long.class, JsonGenerator::writeNumber,
                in -> in.integer(Long.MIN_VALUE, Long.MAX_VALUE, "long"));
        // As a number, since half of a surrogate pair is a char, but no text.
        both(all, "char", char.class, Character.class, (out, value) -> out.writeNumber((int) value),
                in -> (char) in.integer(Character.MIN_VALUE, Character.MAX_VALUE, "char"));
        both(all, "float", float.class, Float.class, JsonGenerator::writeNumber, ValueShape::readFloat);
        both(all, "double", double.class, Double.class, JsonGenerator::writeNumber, ValueShape::readDouble);
        text(all, BigDecimal.class, value -> digits(value.toString()), text -> {
            var value = new BigDecimal(digits(text));
            digits(value.toString()); // which may be longer, and would not be written again
            return value;
        });
        text(all, BigInteger.class, value -> digits(value), text -> new BigInteger(digits(text)));
        add(all, "byte[]", byte[].class, JsonGenerator::writeBinary, in -> binary(in, "bytes"));
        add(all, "UUID", UUID.class, ValueShape::writeId, ValueShape::readId);
        add(all, "Instant", Instant.class,
                (out, value) -> writeSeconds(out, value.getEpochSecond(), value.getNano()),
                in -> readSeconds(in, "Instant", Instant::ofEpochSecond));
        add(all, "Duration", Duration.class,
                (out, value) -> writeSeconds(out, value.getSeconds(), value.getNano()),
                in -> readSeconds(in, "Duration", Duration::ofSeconds));
        add(all, "Year", Year.class, (out, value) -> out.writeNumber(value.getValue()),
                in -> Year.of((int) in.integer(Year.MIN_VALUE, Year.MAX_VALUE, "Year")));
        text(all, LocalDate.class, LocalDate::toString, LocalDate::parse);
        text(all, LocalTime.class, LocalTime::toString, LocalTime::parse);
        text(all, LocalDateTime.class, LocalDateTime::toString, LocalDateTime::parse);
        text(all, OffsetTime.class, OffsetTime::toString, OffsetTime::parse);
        text(all, OffsetDateTime.class, OffsetDateTime::toString, OffsetDateTime::parse);
        text(all, ZonedDateTime.class, ZonedDateTime::toString, ZonedDateTime::parse);
        text(all, Period.class, Period::toString, Period::parse);
        // Its toString leaves out the sign of years that its parse demands.
        text(all, YearMonth.class, DateTimeFormatter.ofPattern("uuuu-MM", Locale.ROOT)::format,
                YearMonth::parse);
        text(all, MonthDay.class, MonthDay::toString, MonthDay::parse);
        text(all, ZoneOffset.class, ZoneOffset::getId, ZoneOffset::of);
        text(all, ZoneId.class, ZoneId::getId, ZoneId::of);
        return Map.copyOf(all);
    }

    private static <T> void add(Map<Class<?>, ValueShape> all, String label, Class<T> type,
            BiConsumer<JsonGenerator, T> writer,
            Function<CborInput, T> reader) {
        all.put(type,
                new ValueShape(label, (out, value) -> writer.accept(out, type.cast(value)), reader::apply));
    }

    private static <T> void both(Map<Class<?>, ValueShape> all, String label, Class<T> primitive,
            Class<T> box, BiConsumer<JsonGenerator, T> writer,
            Function<CborInput, T> reader) {
        add(all, label, box, writer, reader);
        all.put(primitive, all.get(box));
    }

    private static <T> void text(Map<Class<?>, ValueShape> all, Class<T> type, Function<T, String> writer,
            Function<String, T> reader) {
        var label = type.getSimpleName();
        add(all, label, type, (out, value) -> out.writeString(writer.apply(value)), in -> {
            var text = text(in, label);
            try {
                return reader.apply(text);
            } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
                // Without the cause, whose message may have the whole text.
                throw new Fault(Texts.quoted(text) + " is no " + label);
            }
        });
    }

    private static String digits(String text) {
        if (text.length() > MOST_DIGITS) {
            throw new Fault("a number of more than " + MOST_DIGITS
                    + " digits is neither written nor read: use byte[]");
        }
        return text;
    }

    private static String digits(BigInteger value) {
        // Before the text is made, which takes long too: a digit has more than three bits.
        if (value.bitLength() > 4L * MOST_DIGITS) {
            return digits("0".repeat(MOST_DIGITS + 1));
        }
        return digits(value.toString());
    }

    private static String text(CborInput in, String what) {
        in.expect(JsonToken.VALUE_STRING, what);
        return Texts.wellFormed(in.tokens.getString());
    }

    private static byte[] binary(CborInput in, String what) {
        in.expect(JsonToken.VALUE_EMBEDDED_OBJECT, what);
        var bytes = in.tokens.getBinaryValue();
        // The value "undefined" of CBOR.
        if (bytes == null) {
            throw in.unexpected(what);
        }
        return bytes;
    }

    private static boolean readBoolean(CborInput in) {
        return switch (in.tokens.currentToken()) {
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case null, default -> throw in.unexpected("boolean");
        };
    }

    private static float readFloat(CborInput in) {
        in.expect(JsonToken.VALUE_NUMBER_FLOAT, "float");
        double value = in.tokens.getDoubleValue();
        float narrowed = (float) value;
        if (Float.isInfinite(narrowed) && !Double.isInfinite(value)) {
            throw new Fault(value + " is no float: it is out of range");
        }
        return narrowed;
    }

    private static double readDouble(CborInput in) {
        in.expect(JsonToken.VALUE_NUMBER_FLOAT, "double");
        return in.tokens.getDoubleValue();
    }

    private static void writeId(JsonGenerator out, UUID id) {
        var bytes = ByteBuffer.allocate(16).putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
        out.writeBinary(bytes.array());
    }

    private static UUID readId(CborInput in) {
        var bytes = binary(in, "UUID");
        if (bytes.length != 16) {
            throw new Fault("a UUID has 16 bytes, not " + bytes.length);
        }
        var both = ByteBuffer.wrap(bytes);
        return new UUID(both.getLong(), both.getLong());
    }

    private static void writeSeconds(JsonGenerator out, long seconds, int nanos) {
        out.writeStartArray();
        out.writeNumber(seconds);
        out.writeNumber(nanos);
        out.writeEndArray();
    }

    private static <T> T readSeconds(CborInput in, String what, SecondsReader<T> reader) {
        in.expect(JsonToken.START_ARRAY, what);
        in.tokens.nextToken();
        long seconds = in.integer(Long.MIN_VALUE, Long.MAX_VALUE, "number of seconds");
        in.tokens.nextToken();
        long nanos = in.integer(0, 999_999_999, "number of nanoseconds");
        in.tokens.nextToken();
        in.expect(JsonToken.END_ARRAY, "the end of " + what);
        try {
            return reader.of(seconds, nanos);
        } catch (DateTimeException | ArithmeticException e) {
            throw new Fault(seconds + " seconds is no " + what, e);
        }
    }

    private interface SecondsReader<T> {
        T of(long seconds, long nanos);
    }
}
