package io.fibry.codec;

import java.util.Set;

/**
 * Writes values as bytes, and reads them. A codec knows the types that can be reached from its roots, and no others:
 * bytes can name types only by names in this list, and no other class is loaded or made.
 *
 * <p>The types are records, enums, sealed interfaces of these, and values of the JDK: strings, primitives and their boxes,
 * {@code BigDecimal}, {@code BigInteger}, {@code UUID}, those of {@code java.time}, {@code byte[]}, and {@code List},
 * {@code Set}, {@code Map} and {@code Optional} of such types. A set has at most 1,000 elements of the same hash code, and fewer
 * if sets are within them, as the time to read more could grow with their square; sets of sets of small numbers reach this
 * first. If the bytes have equal elements of a set, it is read with one of them: an earlier release could tell them apart.
 * Components are never null, unless their type is annotated {@code @Nullable}.
 *
 * <p>A codec is immutable. Many threads may use it at once. What it reads shares no memory with the bytes.
 */
public interface Codec {
    /**
     * Makes a codec with {@linkplain CodecOptions#defaults() default options}.
     *
     * @param roots records, enums, sealed interfaces, or values of the JDK
     * @return a codec that writes and reads what can be reached from the roots
     * @throws CodecException if something that can be reached cannot be written; it names the component
     */
    static Codec of(Class<?>... roots) {
        return of(CodecOptions.defaults(), roots);
    }

    /**
     * Makes a codec.
     *
     * @param options limits and upcasters
     * @param roots records, enums, sealed interfaces, or values of the JDK
     * @return a codec that writes and reads what can be reached from the roots
     * @throws CodecException if something that can be reached cannot be written; it names the component
     */
    static Codec of(CodecOptions options, Class<?>... roots) {
        return CborCodec.of(options, roots);
    }

    /**
     * Writes a value.
     *
     * @param value of a type that can be reached from a root
     * @return its bytes
     * @throws CodecException if the value is of another type, has a null where none may be, or is too large or too deep
     */
    byte[] encode(Object value);

    /**
     * Reads a value. Nothing of the bytes is left unread.
     *
     * @param bytes what {@link #encode} gave, here or in another release
     * @param root a root, or a type that can be reached from one
     * @param <T> the type
     * @return the value
     * @throws CodecException if the bytes are not those of such a value
     */
    <T> T decode(byte[] bytes, Class<T> root);

    /**
     * The names of all records and enums.
     *
     * @return an immutable set, in alphabetical order
     */
    Set<String> typeNames();

    /**
     * Whether values of a class can be written: a root, or what can be reached from one.
     *
     * @param type a class
     * @return true if {@link #encode} takes its values
     */
    boolean admits(Class<?> type);

    /**
     * The types as text, in the form of a {@linkplain Compat golden file}.
     *
     * @return one line for each type, each component and each root
     */
    String describe();
}
