package io.fibry.web;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpBody;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpRoutes;
import io.fibry.web.internal.ContentTypes;
import io.fibry.web.internal.StoredContent;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;

/**
 * Answers with files that are beside a class, in its jar or folder.
 *
 * <pre>{@code
 * HttpRoutes.none().get("/{path*}", WebResources.beside(Main.class, "pages"))
 * }</pre>
 *
 * <p>The path of the route must end with {@code {path*}}. A path that is empty, or that ends with a slash, stands for
 * {@code index.html}. Classes, and files and folders whose names begin with a dot, are not served. In a named module the
 * package must be open. Browsers keep the files, and ask each time whether they are still those of the server ({@code ETag}).
 * {@link WebFiles} serves files of a folder that are not a part of the program. Objects of this class are immutable.
 */
public final class WebResources implements ReplyHandler<HttpCall, HttpAnswer> {
    private static final int TAG_BYTES = 16;

    private final Class<?> anchor;
    private final String folder;

    private WebResources(Class<?> anchor, String folder) {
        this.anchor = anchor;
        this.folder = folder;
    }

    /**
     * Returns a handler that answers with the files in a folder.
     *
     * @param anchor a class whose module or class path has the files
     * @param folder the folder of the files, relative to the package of the class, or to the root if it starts with a
     *     slash
     * @return the handler
     */
    public static WebResources beside(Class<?> anchor, String folder) {
        Objects.requireNonNull(anchor, "anchor");
        return new WebResources(anchor, folder.endsWith("/") ? folder : folder + "/");
    }

    @Override
    public HttpAnswer handle(HttpCall call) throws IOException {
        var file = StoredContent.file(call);
        var found = file.endsWith(".class") ? null : anchor.getResource(folder + file);
        if (found == null || isFolder(found)) {
            throw StoredContent.nothing();
        }
        byte[] bytes;
        try (var in = found.openStream()) {
            bytes = in.readAllBytes();
        }
        return new StoredContent(ContentTypes.of(file), bytes.length, tag(bytes), Optional.empty(),
                "no-cache",
                (from, count) -> HttpBody.of(count == bytes.length
                        ? bytes
                        : Arrays.copyOfRange(bytes, (int) from, (int) (from + count))))
                .answer(call);
    }

    private static String tag(byte[] bytes) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return "\"" + HexFormat.of().formatHex(digest, 0, TAG_BYTES) + "\"";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Tells whether a resource is a folder. A folder can be opened too; it then lists its content. */
    private static boolean isFolder(URL found) throws IOException {
        return switch (found.openConnection()) {
            case JarURLConnection jar -> jar.getJarEntry() == null || jar.getJarEntry().isDirectory();
            case URLConnection other when found.getProtocol().equals("file") ->
                Files.isDirectory(Path.of(URI.create(other.getURL().toString())));
            default -> false;
        };
    }
}
