package io.fibry.web;

import io.fibry.internal.text.HttpText;
import io.fibry.net.HttpProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** A part of a form, while it is received. It can be used until its handler returns, by one thread at a time. */
public interface MultipartPart {
    /**
     * Returns the name of the field.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the name of the file. It is what the client states, without folders: the part behind the last slash or
     * backslash. A client can give any name, and the same name twice, so it is not the name under which to save a file.
     *
     * @return the name; empty if the part is no file, or if nothing is left that could be the name of a file
     */
    Optional<String> fileName();

    /**
     * Tells whether the part is a file: the client has stated a name for it, even if this name is empty.
     *
     * @return whether the part is a file
     */
    boolean isFile();

    /**
     * Returns the type of the content, as the client states it.
     *
     * @return the type, for example {@code image/png}; {@code text/plain} if the client states none
     */
    String contentType();

    /**
     * Returns the content as a stream, while it is received.
     *
     * @return the same stream each time
     */
    InputStream content();

    /**
     * Reads the content to its end.
     *
     * @return the bytes
     * @throws IOException if the client has closed the connection, or sends more than it may
     */
    default byte[] bytes() throws IOException {
        return content().readAllBytes();
    }

    /**
     * Reads the content to its end, as UTF-8 text.
     *
     * @return the text
     * @throws HttpProblem with status 400 if the content is not UTF-8; {@link #bytes()} reads it as it is
     * @throws IOException if the client has closed the connection, or sends more than it may
     */
    default String text() throws IOException {
        return HttpText.utf8(bytes(),
                cause -> new HttpProblem(400, "the field " + name() + " is not UTF-8", cause));
    }

    /**
     * Writes the content to a new file. If this fails, the file is deleted.
     *
     * @param file the file, which must not exist
     * @return the number of bytes
     * @throws IOException if the file exists or cannot be written, if the client has closed the connection, or if it sends
     *     more than it may
     */
    default long saveTo(Path file) throws IOException {
        try (var out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            try {
                var bytes = new byte[16 * 1_024];
                var saved = 0L;
                // Fills the array before each write: the client may send byte by byte.
                for (var count = content().readNBytes(bytes, 0, bytes.length); count > 0; count =
                        content().readNBytes(bytes, 0, bytes.length)) {
                    out.write(bytes, 0, count);
                    saved += count;
                }
                return saved;
            } catch (Throwable failure) {
                Files.deleteIfExists(file);
                throw failure;
            }
        }
    }
}
