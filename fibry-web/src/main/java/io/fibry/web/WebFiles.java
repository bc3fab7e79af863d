package io.fibry.web;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.web.internal.ContentTypes;
import io.fibry.web.internal.FilePart;
import io.fibry.web.internal.StoredContent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Optional;

/**
 * Answers with the files of a folder: whole, in parts ({@code Range}), or not at all if the client has them ({@code ETag},
 * {@code Last-Modified}).
 *
 * <pre>{@code
 * HttpRoutes.none().get("/photos/{path*}", WebFiles.in(Path.of("/srv/photos")).maxAge(Duration.ofHours(1)))
 * }</pre>
 *
 * <p>The path of the route must end with {@code {path*}}. A path that is empty, or that ends with a slash, stands for
 * {@code index.html}; a folder without the slash is answered with a redirection to the path with it. Folders are never
 * listed. Files and folders whose names begin with a dot are not served, nor is anything outside the folder, by whatever
 * path or link. Objects of this class are immutable: each call returns another one. They work in every server of this
 * library.
 */
public final class WebFiles implements ReplyHandler<HttpCall, HttpAnswer> {
    private static final int MOVED = 308;

    private final Path folder;
    private final String cacheControl;

    private WebFiles(Path folder, String cacheControl) {
        this.folder = folder;
        this.cacheControl = cacheControl;
    }

    /**
     * Returns a handler that answers with the files of a folder. Browsers keep the files, and ask each time whether they
     * are still those of the server.
     *
     * @param folder the folder, which must exist; a link is followed once, now
     * @return the handler
     * @throws UncheckedIOException if there is no such folder
     */
    public static WebFiles in(Path folder) {
        try {
            var real = folder.toRealPath();
            if (!Files.isDirectory(real)) {
                throw new IllegalArgumentException("this is no folder: " + folder);
            }
            return new WebFiles(real, "no-cache");
        } catch (IOException e) {
            throw new UncheckedIOException("the folder cannot be served: " + folder, e);
        }
    }

    /**
     * Returns the same handler for files that clients may use for some time without asking.
     *
     * @param age the time, to the second
     * @return the new handler
     */
    public WebFiles maxAge(Duration age) {
        if (age.isNegative()) {
            throw new IllegalArgumentException("the maxAge of " + folder + " must not be negative: " + age);
        }
        return cacheControl("max-age=" + age.toSeconds());
    }

    /**
     * Returns the same handler with another header {@code Cache-Control}. It is {@code no-cache} by default.
     *
     * @param value the value, for example {@code public, max-age=31536000, immutable}
     * @return the new handler
     */
    public WebFiles cacheControl(String value) {
        return new WebFiles(folder, new HttpAnswer.Header("Cache-Control", value).value());
    }

    @Override
    public HttpAnswer handle(HttpCall call) throws IOException {
        var path = StoredContent.file(call);
        try {
            return found(call, path, !path.equals(call.parameter("path")));
        } catch (FileSystemException | InvalidPathException absent) {
            throw StoredContent.nothing();
        }
    }

    private HttpAnswer found(HttpCall call, String path, boolean isFolder) throws IOException {
        var file = inside(path);
        var attributes = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isDirectory() && !isFolder) {
            var query = call.uri().getRawQuery();
            return HttpAnswer.empty(MOVED).header("Location",
                    call.path() + "/" + (query == null ? "" : "?" + query));
        }
        if (!attributes.isRegularFile() || !Files.isReadable(file)) {
            throw StoredContent.nothing();
        }
        var changed = attributes.lastModifiedTime().toInstant();
        var length = attributes.size();
        var tag = "\"" + Long.toHexString(length) + "-" + Long.toHexString(changed.getEpochSecond()) + "."
                + Integer.toHexString(changed.getNano()) + "\"";
        return new StoredContent(ContentTypes.of(file.toString()), length, tag, Optional.of(changed),
                cacheControl,
                (from, count) -> new FilePart(file, from, count)).answer(call);
    }

    /** Returns the path of an existing file, without links. */
    private Path inside(String path) throws IOException {
        var real = folder.resolve(path).toRealPath();
        if (!real.startsWith(folder) || isHidden(real)) {
            throw StoredContent.nothing();
        }
        return real;
    }

    /** Tells whether a link leads to something hidden. */
    private boolean isHidden(Path real) {
        for (var part : folder.relativize(real)) {
            if (part.toString().startsWith(".")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "WebFiles[" + folder + "]";
    }
}
