package io.fibry.testing;

import java.net.URI;
import javax.tools.SimpleJavaFileObject;

/** A source for the compiler that is not what the file has. */
public final class SourceText extends SimpleJavaFileObject {
    private final String text;

    public SourceText(URI file, String text) {
        super(file, Kind.SOURCE);
        this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return text;
    }
}
