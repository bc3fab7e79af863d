package io.fibry.internal.net;

import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Sends the answer to one request. */
final class HttpReply {
    private static final int DISCARDED_BYTES = 1 << 20;

    private final ServedCall call;
    private final HeaderList headers;
    private final HttpPlace place;

    HttpReply(ServedCall call, HttpPlace place) {
        this.call = call;
        this.place = place;
        headers = call.answerHeaders();
    }

    void answer(HttpAnswer answer) throws Exception {
        var body = answer.body();
        var length = body.length();
        answer.headers().forEach(header -> headers.put(header.name(), header.value()));
        if (begin(answer.status(), length)) {
            if (length > 0) {
                body.writeTo(call.out());
            } else {
                place.call(call, () -> {
                    body.writeTo(call.out());
                    return true;
                });
            }
            call.out().close();
        }
    }

    /** Sends the head. Returns whether content follows. */
    private boolean begin(int status, long length) throws IOException {
        var hasNone = ServedCall.hasNoContent(status);
        if (!call.isHead() && !hasNone && length != 0) {
            call.sendHead(status, Math.max(0, length)); // 0 means that the content is sent in chunks
            return true;
        }
        if (call.isHead() && length >= 0 && !hasNone) {
            headers.set("Content-Length", Long.toString(length));
        }
        call.sendHead(status, -1);
        return false;
    }

    /** Refuses a request that the server cannot or will not read to its end. */
    void refuse(HttpProblem why) throws IOException {
        headers.set("Connection", "close");
        problem(why);
        var content = call.comingContent();
        if (content != null) {
            try {
                content.discard(DISCARDED_BYTES); // a client that is still sending gets to read its answer
            } catch (IOException | HttpProblem brokenOff) {
                // the answer has been sent, and the connection ends after it
            }
        }
    }

    /** Answers with an error. */
    void problem(HttpProblem why) throws IOException {
        why.answer().headers().forEach(header -> headers.put(header.name(), header.value()));
        var bytes = (why.text() + "\n").getBytes(StandardCharsets.UTF_8);
        if (begin(why.status(), bytes.length)) {
            call.out().write(bytes);
            call.out().close();
        }
    }
}
