package io.fibry.jackson;

import io.fibry.net.HttpJson;
import io.fibry.net.HttpProblem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON by Jackson 3. It is found as a service by {@link HttpJson#found()}, or made with a mapper of the
 * program:
 *
 * <pre>{@code
 * var json = JacksonFormat.of(JsonMapper.builder().addModule(new MyModule()).build());
 * }</pre>
 *
 * <p>Content from clients is better read as a {@code List} of records than as a {@code Set}. Nothing limits how many elements
 * of a set have the same hash code, which clients can choose, and the time to read these grows with their square.
 *
 * <p>Objects of this class are immutable and thread-safe.
 */
public final class JacksonFormat implements HttpJson {
    private static final String MISFIT = "the JSON does not fit: ";

    private final JsonMapper mapper;

    /**
     * Makes a format with the mapper that Jackson makes by default. It also refuses what comes after the value, names that
     * come twice in an object, null where a number or a boolean is needed, and a fraction where an integer is.
     */
    public JacksonFormat() {
        // Jackson would keep the names that it reads, also long ones that no type has, so that clients could fill the memory.
        this(JsonMapper.builder(JsonFactory.builder()
                .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build());
    }

    private JacksonFormat(JsonMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    /**
     * Returns a format with a mapper of the program. Disable {@code TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES} in
     * its factory if clients are not trusted: Jackson keeps up to 6,000 names otherwise, of up to 50,000 characters each.
     *
     * @param mapper the mapper
     * @return the format
     */
    public static JacksonFormat of(JsonMapper mapper) {
        return new JacksonFormat(mapper);
    }

    @Override
    public byte[] write(Object value) {
        return mapper.writeValueAsBytes(Objects.requireNonNull(value, "value"));
    }

    @Override
    public <T> T read(byte[] json, Class<T> type) {
        Objects.requireNonNull(type, "type");
        var text = text(json);
        return known(() -> mapper.readValue(text, type));
    }

    @Override
    public <T> List<T> readList(byte[] json, Class<T> element) {
        var type = mapper.getTypeFactory().constructCollectionType(List.class, element);
        var text = text(json);
        List<T> list = known(() -> mapper.<List<T>>readValue(text, type));
        for (var i = 0; i < list.size(); i++) {
            if (list.get(i) == null) {
                throw new HttpProblem(400, MISFIT + "[" + i + "] is null");
            }
        }
        return list;
    }

    /** Decodes the bytes: without its table of names, Jackson would replace what is not UTF-8 by other characters. */
    private static String text(byte[] json) {
        try {
            var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(json)).toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new HttpProblem(400, MISFIT + "it is not UTF-8", e);
        }
    }

    private static <T> T known(Supplier<T> reader) {
        T value;
        try {
            value = reader.get();
        } catch (InvalidDefinitionException fault) { // no JSON fits such a type
            throw fault;
        } catch (JacksonException fault) {
            throw new HttpProblem(400, MISFIT + place(fault), fault);
        }
        if (value == null) {
            throw new HttpProblem(400, MISFIT + "it is null");
        }
        return value;
    }

    /** Tells where a fault is. The message of Jackson may name classes of the program. */
    private static String place(JacksonException fault) {
        var place = new StringBuilder();
        for (var step : fault.getPath()) {
            var name = step.getPropertyName();
            if (name == null) {
                place.append('[').append(step.getIndex()).append(']');
            } else {
                place.append(place.isEmpty() ? "" : ".").append(name);
            }
        }
        var location = fault.getLocation();
        if (location != null && location.getLineNr() > 0) {
            place.append(place.isEmpty() ? "" : ", ").append("line ").append(location.getLineNr())
                    .append(", column ")
                    .append(location.getColumnNr());
        }
        return place.isEmpty() ? "it is no JSON" : place.toString();
    }

    @Override
    public String toString() {
        return "JacksonFormat";
    }
}
