package io.fibry.web;

import io.fibry.function.Handler;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpParameters;
import io.fibry.web.internal.MultipartInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;

/**
 * Reads forms with files, {@code multipart/form-data} (RFC 7578), part by part as they arrive.
 *
 * <pre>{@code
 * routes.post("/photos", call -> {
 *     Multipart.read(call, MultipartOptions.standard().partBytes(5_000_000), part -> {
 *         if (part.isFile()) {
 *             part.saveTo(folder.resolve(UUID.randomUUID().toString()));
 *         }
 *     });
 *     return HttpAnswer.empty(204);
 * })
 * }</pre>
 *
 * <p>It works in every server of this library, for example {@link io.fibry.Stereotypes#embeddedHttpServer}.
 */
public final class Multipart {
    private Multipart() {
    }

    /**
     * Reads a form part by part, in the order in which the client sends them. What the handler does not read of a
     * part is skipped, and a part can be used until the handler returns. Only one buffer of 16 KiB is kept.
     *
     * @param call the request
     * @param options the limits
     * @param handler handles the parts, on the calling thread
     * @throws io.fibry.net.HttpProblem with status 415 if the content is no such form, with 400 if it is not well formed,
     *     with 413 if there are too many parts or a part is too long
     * @throws IOException if the client has closed the connection, or sends more than the server takes
     * @throws Exception what the handler throws; the rest of the form is not read
     */
    public static void read(HttpCall call, MultipartOptions options, Handler<MultipartPart> handler)
            throws Exception {
        Objects.requireNonNull(handler, "handler");
        var input = MultipartInput.of(call, Objects.requireNonNull(options, "options"));
        for (var part = input.next(); part.isPresent(); part = input.next()) {
            handler.handle(part.get());
        }
    }

    /**
     * Reads a whole form into memory. If a form may be long, {@link #read} is the better choice.
     *
     * @param call the request
     * @param options the limits
     * @return the form
     * @throws io.fibry.net.HttpProblem with status 415 if the content is no such form, with 400 if it is not well formed,
     *     with 413 if there are too many parts or a part is too long
     * @throws IOException if the client has closed the connection, or sends more than the server takes
     */
    public static MultipartForm form(HttpCall call, MultipartOptions options) throws IOException {
        var fields = new LinkedHashMap<String, List<String>>();
        var files = new ArrayList<MultipartFile>();
        var input = MultipartInput.of(call, Objects.requireNonNull(options, "options"));
        for (var part = input.next(); part.isPresent(); part = input.next()) {
            var known = part.get();
            if (known.isFile()) {
                files.add(new MultipartFile(known, known.bytes()));
            } else {
                fields.computeIfAbsent(known.name(), name -> new ArrayList<>(1)).add(known.text());
            }
        }
        return new MultipartForm(HttpParameters.of(fields), files);
    }
}
