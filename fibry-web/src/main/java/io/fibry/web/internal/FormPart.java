package io.fibry.web.internal;

import io.fibry.web.MultipartPart;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A part of a form.
 *
 * @param name the name of the field
 * @param isFile whether the client has stated a name of a file
 * @param fileName the name of the file without folders
 * @param contentType the type of the content
 * @param content the content
 */
record FormPart(String name, boolean isFile, Optional<String> fileName, String contentType,
        InputStream content)
        implements
            MultipartPart {
    private static final Set<String> PLAIN = Set.of("7bit", "8bit", "binary");

    static FormPart of(Map<String, String> headers, InputStream content) {
        var disposition = FormHeader.parse(headers.getOrDefault("content-disposition", ""));
        var name = disposition.parameters().get("name");
        if (!disposition.value().equals("form-data") || name == null) {
            throw MultipartInput.malformed("a part has no Content-Disposition with a name");
        }
        if (!PLAIN.contains(
                headers.getOrDefault("content-transfer-encoding", "binary").toLowerCase(Locale.ROOT))) {
            throw MultipartInput.malformed("a part has a Content-Transfer-Encoding");
        }
        var stated = disposition.parameters().get("filename");
        return new FormPart(name, stated != null, stated == null ? Optional.empty() : withoutFolders(stated),
                headers.getOrDefault("content-type", "text/plain"), content);
    }

    private static Optional<String> withoutFolders(String stated) {
        var name = stated.substring(Math.max(stated.lastIndexOf('/'), stated.lastIndexOf('\\')) + 1).strip();
        return name.isEmpty() || name.equals(".") || name.equals("..") ? Optional.empty() : Optional.of(name);
    }

    @Override
    public String toString() {
        return "MultipartPart[" + name + "]";
    }
}
