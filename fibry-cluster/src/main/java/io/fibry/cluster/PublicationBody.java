package io.fibry.cluster;

import io.fibry.message.MessageFate;
import io.fibry.topic.Publication;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What has become of a message at the subscribers of a node.
 *
 * @param fates by the names of the subscribers
 */
record PublicationBody(Map<String, AnswerBody> fates) {
    static PublicationBody of(Publication publication) {
        var fates = new LinkedHashMap<String, AnswerBody>();
        publication.fates().forEach((name, fate) -> fates.put(name, withoutTrace(LetterReader.body(fate))));
        return new PublicationBody(fates);
    }

    /** Of many subscribers that have failed, the traces would be too much for an answer. */
    private static AnswerBody withoutTrace(AnswerBody body) {
        return body instanceof AnswerBody.Failure failure
                ? new AnswerBody.Failure(failure.className(), failure.message(), "")
                : body;
    }

    byte[] bytes() {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        try {
            out.writeInt(fates.size());
            for (var fate : fates.entrySet()) {
                var body = fate.getValue().bytes();
                out.writeUTF(AnswerBody.some(fate.getKey()));
                out.writeInt(body.length);
                out.write(body);
            }
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    static PublicationBody of(byte[] bytes) {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        try {
            var fates = new LinkedHashMap<String, AnswerBody>();
            for (var left = in.readInt(); left > 0; left--) {
                var name = in.readUTF();
                var body = in.readNBytes(in.readInt());
                fates.put(name, AnswerBody.of(body));
            }
            return new PublicationBody(fates);
        } catch (IOException | IllegalArgumentException cutOff) {
            throw new ClusterException("the fates of a publication are cut off: they have " + bytes.length
                    + " bytes", cutOff);
        }
    }

    /** Returns the fates. */
    Map<String, MessageFate> known() {
        var known = new LinkedHashMap<String, MessageFate>();
        fates.forEach((name, body) -> known.put(name, body.fate()));
        return known;
    }
}
