package io.fibry.cluster;

import io.fibry.internal.scope.TravellingContext;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context that goes with the letters of a node: what the carriers of the scope can write as text, in the order of the carriers, as far as
 * it fits. The bytes are three texts for each value: name of the carrier, name of the value, and the value, each after its length.
 *
 * <p>Thread-safe.
 */
final class LetterContext {
    /** So many bytes of context go with a letter. */
    static final int MOST_BYTES = 8 * 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(LetterContext.class);
    private static final byte[] NONE = {};

    private final TravellingContext context;
    private final AtomicBoolean isTooMuchReported = new AtomicBoolean();

    LetterContext(TravellingContext context) {
        this.context = context;
    }

    /** Returns the context of the calling thread. */
    byte[] write() {
        var written = context.write();
        if (written.isEmpty()) {
            return NONE;
        }
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        written.forEach((carrier, values) -> values.forEach((name, value) -> {
            // A map of the log may have such values. A carrier that is wrong harms no message.
            if (carrier != null && name != null && value != null) {
                add(out, carrier, name, value);
            }
        }));
        return bytes.toByteArray();
    }

    private void add(DataOutputStream out, String... texts) {
        var parts = new byte[texts.length][];
        var size = 0;
        for (int i = 0; i < texts.length; i++) {
            parts[i] = texts[i].getBytes(StandardCharsets.UTF_8);
            size += Short.BYTES + parts[i].length;
        }
        if (out.size() + size > MOST_BYTES) {
            if (isTooMuchReported.compareAndSet(false, true)) {
                LOGGER.warn(
                        "The value '{}' of the context carrier '{}' does not go with a message to another node: it has {} characters, "
                                + "and the context of a message has at most {} bytes. Carry less, or make the value a part of the message; "
                                + "this is logged once",
                        texts[1], texts[0], texts[2].length(), MOST_BYTES);
            }
            return;
        }
        try {
            for (var part : parts) {
                out.writeShort(part.length);
                out.write(part);
            }
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
    }

    /** Runs code with the context that has come with a letter. */
    void around(Map<String, Map<String, String>> written, Runnable code) {
        context.around(written, code);
    }

    /** Reads the bytes that {@link #write} has made on another node. */
    static Map<String, Map<String, String>> read(byte[] written) {
        var values = new LinkedHashMap<String, Map<String, String>>();
        var in = ByteBuffer.wrap(written);
        try {
            while (in.hasRemaining()) {
                values.computeIfAbsent(text(in), missing -> new LinkedHashMap<>()).put(text(in), text(in));
            }
        } catch (BufferUnderflowException tooShort) {
            throw new ClusterException("a context of " + written.length + " bytes is cut off", tooShort);
        }
        return values;
    }

    private static String text(ByteBuffer in) {
        var bytes = new byte[Short.toUnsignedInt(in.getShort())];
        if (bytes.length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
