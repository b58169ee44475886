// Claims once were on this page: links to one of them, or to a choice of them, still arrive.
"use strict";
if (/^#claim(s$|-)/.test(location.hash)) location.replace(`claims.html${location.search}${location.hash}`);
