package io.fibry.net;

import io.fibry.testing.HttpFilesCases;
import io.fibry.testing.Promise;

@Promise("14.12")
class HttpFilesTest extends HttpFilesCases {
    HttpFilesTest() {
        super(HttpFilesChild.class, 1);
    }
}
