package io.fibry.codec;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORParser;
import tools.jackson.dataformat.cbor.CBORWriteFeature;

/**
 * A codec that writes CBOR by its own table of types. Of Jackson it uses tokens, and trees for upcasters; no class is bound
 * by Jackson. A record or enum at the top has its name in front, so that the bytes can be read as any root that permits it.
 */
final class CborCodec implements Codec {
    private final CodecOptions options;
    private final CBORFactory factory;
    private final Map<Class<?>, ShapeRef> byClass;
    private final Map<Class<?>, String> names;
    private final Set<String> typeNames;
    private final Upcasting upcasting;
    private final String description;

    static Codec of(CodecOptions options, Class<?>... roots) {
        Objects.requireNonNull(options, "options");
        if (roots.length == 0) {
            throw new CodecException(
                    "A codec needs a root: a record, an enum, or a sealed interface of these");
        }
        return new CborCodec(options, new TypeTable(roots));
    }

    private CborCodec(CodecOptions options, TypeTable types) {
        this.options = options;
        // A record within a sealed interface takes an array and an object. What is skipped may be as deep, and a little more.
        int nesting = 2 * options.depth() + 16;
        // Jackson would keep all names that were ever read, of any length and also those that no type has.
        this.factory = CBORFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
                .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(nesting)
                        .maxStringLength(options.largest())
                        .maxNameLength(options.largest()).maxNumberLength(options.largest()).build())
                .streamWriteConstraints(StreamWriteConstraints.builder().maxNestingDepth(nesting).build())
                .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT).disable(CBORWriteFeature.LENIENT_UTF_ENCODING)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION).build();
        this.byClass = Map.copyOf(types.byClass());
        this.names = Map.copyOf(types.names());
        this.typeNames = types.typeNames();
        var upcasters = upcasters(options);
        this.upcasting = upcasters.isEmpty() ? Upcasting.None.NONE : new TreeUpcasting(factory, upcasters);
        this.description = types.describe(options.upcasters());
    }

    private static Map<String, Upcaster> upcasters(CodecOptions options) {
        var byName = new HashMap<String, Upcaster>();
        for (var upcaster : options.upcasters()) {
            if (byName.put(upcaster.type(), upcaster) != null) {
                throw new CodecException(
                        "Two upcasters for the type name " + upcaster.type() + ": make one of them");
            }
        }
        return Map.copyOf(byName);
    }

    @Override
    public byte[] encode(Object value) {
        Objects.requireNonNull(value, "value");
        var type = typeOf(value);
        var found = byClass.get(type);
        if (found == null) {
            throw new CodecException("Cannot write a value of " + type.getName()
                    + ": it cannot be reached from the roots of this codec. Known are "
                    + Texts.some(typeNames) + "; add it to the roots");
        }
        var bytes = new BoundedBytes(options.largest());
        try (var tokens = factory.createGenerator(ObjectWriteContext.empty(), bytes)) {
            var out = new CborOutput(tokens, options.depth());
            var name = names.get(type);
            if (name == null) {
                found.shape().write(out, value);
            } else {
                out.named(name, found.shape(), value);
            }
        } catch (Fault e) {
            throw failed("Cannot write", type, e);
        } catch (JacksonException e) {
            throw new CodecException("Cannot write a " + type.getSimpleName() + ": " + e.getOriginalMessage(),
                    e);
        }
        return bytes.toByteArray();
    }

    private Class<?> typeOf(Object value) {
        return switch (value) {
            case Enum<?> constant -> constant.getDeclaringClass();
            case ZoneOffset offset when byClass.containsKey(ZoneOffset.class) -> ZoneOffset.class;
            case ZoneId zone -> ZoneId.class;
            default -> value.getClass();
        };
    }

    @Override
    public <T> T decode(byte[] bytes, Class<T> root) {
        Objects.requireNonNull(bytes, "bytes");
        var found = byClass.get(Objects.requireNonNull(root, "root"));
        if (found == null) {
            throw new CodecException("Cannot read a value of " + root.getName()
                    + ": it cannot be reached from the roots of this codec. Known are "
                    + Texts.some(typeNames) + "; add it to the roots");
        }
        if (bytes.length > options.largest()) {
            throw new CodecException("Cannot read " + bytes.length + " bytes as a " + root.getSimpleName()
                    + ": CodecOptions.largest permits " + options.largest());
        }
        try (var tokens =
                new PlainTokens((CBORParser) factory.createParser(ObjectReadContext.empty(), bytes))) {
            tokens.nextToken();
            var in = new CborInput(tokens, upcasting, options.depth());
            var value = read(found.shape(), root, in);
            if (tokens.nextToken() != null) {
                throw new Fault("there are more bytes behind the value");
            }
            return cast(value, root);
        } catch (Fault e) {
            throw failed("Cannot read", root, e);
        } catch (JacksonException e) {
            throw failed("Cannot read", root, Fault.broken(e));
        }
    }

    private Object read(Shape shape, Class<?> root, CborInput in) {
        var name = names.get(root);
        return name == null ? shape.read(in)
                : in.named(Map.of(name, Objects.requireNonNull(byClass.get(root))), name);
    }

    @SuppressWarnings("unchecked") // int.class has no instances that its own cast accepts
    private static <T> T cast(Object value, Class<T> root) {
        return root.isPrimitive() ? (T) value : root.cast(value);
    }

    private static CodecException failed(String what, Class<?> type, Fault fault) {
        return new CodecException(
                what + " a " + type.getSimpleName() + ": " + fault.within(type.getSimpleName()).text(),
                fault.getCause());
    }

    @Override
    public Set<String> typeNames() {
        return typeNames;
    }

    @Override
    public boolean admits(Class<?> type) {
        return byClass.containsKey(type);
    }

    @Override
    public String describe() {
        return description;
    }
}
