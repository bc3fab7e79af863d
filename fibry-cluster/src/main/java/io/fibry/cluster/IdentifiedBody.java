package io.fibry.cluster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A message with an id, which the outbox of a durable actor has sent.
 *
 * @param id the id
 * @param message the message as bytes
 */
record IdentifiedBody(String id, byte[] message) {
    byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeUTF(id);
            out.write(message);
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    static IdentifiedBody of(byte[] bytes) {
        var rest = new ByteArrayInputStream(bytes);
        try {
            return new IdentifiedBody(new DataInputStream(rest).readUTF(), rest.readAllBytes());
        } catch (IOException tooShort) {
            throw new ClusterException("a message with an id is cut off: it has " + bytes.length + " bytes",
                    tooShort);
        }
    }
}
