import org.jspecify.annotations.NullMarked;

/**
 * Records as bytes and back: what messages, events and states are written as.
 *
 * <pre>{@code
 * var codec = Codec.of(Event.class);                      // a sealed type of records
 * byte[] bytes = codec.encode(new Event.Deposited(100));
 * Event event = codec.decode(bytes, Event.class);
 * }</pre>
 *
 * <p>{@link io.fibry.codec.Codec#of Codec.of} makes a codec.
 * The page {@code docs/codec.md} in the source repository has more.
 */
@NullMarked
module io.fibry.codec {
    requires tools.jackson.core;
    // An upcaster changes a tree of Jackson's.
    requires transitive tools.jackson.databind;
    requires tools.jackson.dataformat.cbor;
    // Annotations only: a user needs them neither to compile nor to run.
    requires static org.jspecify;

    exports io.fibry.codec;
}
