import org.jspecify.annotations.NullMarked;

/**
 * Records as bytes and back: what messages, events and states are written as.
 *
 * <p>{@link io.fibry.codec.Codec#of Codec.of} makes a codec.
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
