package io.fibry.web;

import io.fibry.testing.HttpFilesCases;
import io.fibry.testing.Promise;

@Promise("17.8")
class WebDescriptorsTest extends HttpFilesCases {
    WebDescriptorsTest() {
        super(WebDescriptorsChild.class, 2);
    }
}
